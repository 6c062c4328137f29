import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Catalogue } from "./catalogue.ts";
import type { LabelledQuery, QueryClass } from "./query-class.ts";

const fileSchema = z.array(z.strictObject({ typed: z.string().min(1), meant: z.string().min(1) }));

const typedByHand: QueryClass = {
  name: "typed by hand",
  targets: [{ metric: "hit@3", atLeast: 88 }],
  fits: () => false,
  make: () => undefined,
};

/** Queries that people wrote, with the names that they meant. @throws RangeError for a name that no record has */
export async function readTyped(
  file: string,
  catalogue: Catalogue,
): Promise<{ queryClass: QueryClass; queries: LabelledQuery[] }> {
  const queries = fileSchema.parse(JSON.parse(await readFile(file, "utf8"))).map(({ typed, meant }) => {
    const hits = catalogue.named(meant);
    if (hits.count === 0) throw new RangeError(`${file}: no record is called ${meant}`);
    return { text: typed, meant, hits, relevant: hits };
  });
  return { queryClass: typedByHand, queries };
}
