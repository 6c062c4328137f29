import type { Db } from "../../db/connect.ts";
import { BUILT_IN_IMPORTS } from "../../exchange/import/kinds.ts";
import { readSeed } from "./seeds.ts";

/** The texts of a demo record, and the same by language: descriptions, or titles of discounts. */
const TEXTS = { one: "description", all: "descriptions" };
const TITLES = { one: "title", all: "titles" };

type Texted = { id: string } & Record<string, unknown>;

/**
 * Adds texts in other languages to demo records of an earlier version. Skips records whose text somebody changed, or
 * that have other languages already. Their content stays the same, so they keep their revision.
 */
export async function writeTexts(db: Db): Promise<void> {
  for (const kind of BUILT_IN_IMPORTS) {
    if (kind === "relations") continue;
    const { one, all } = kind === "discounts" ? TITLES : TEXTS;
    const records = await readSeed<Texted[]>(kind);
    const texts = records.map((record) => ({ id: record.id, one: record[one], all: record[all] ?? {} }));
    await db.raw(
      `update ?? t set ?? = s."all"
         from jsonb_to_recordset(?::jsonb) s (id text, one text, "all" jsonb)
        where t.id = s.id and t.demo and t.?? = s.one and t.?? = '{}' and s."all" <> '{}'`,
      [kind.replaceAll("-", "_"), all, JSON.stringify(texts), one, all],
    );
  }
}
