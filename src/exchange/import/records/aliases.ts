import { z } from "zod";
import { plainText } from "../../../records/values.ts";
import { foldLetters, inOneAlphabet } from "../../../search/letters.ts";
import { toSimplified } from "../../../search/normalise.ts";
import { isObject } from "../../../words/text/json.ts";
import { toNfc } from "../../../words/text/nfc.ts";
import { BrokenFileError, Unreadable } from "../input/unreadable.ts";

const pairSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  name: z.string().optional(),
  alias: z.string().trim().min(1).max(300),
});

const MOST_NAMED = 10;

/** Other names that records are found by, of a file of pairs. */
export class Aliases {
  readonly #byId = new Map<string, string[]>();
  readonly #byName = new Map<string, string[]>();
  /** What no record so far is called. */
  readonly #unused = new Map<string[], string>();

  /** The aliases of a record with this id, name or one of these names. */
  of({ id, name, names }: Record<string, unknown>): string[] {
    const all = isObject(names) ? Object.values(names) : [];
    const keys = new Set([name, ...all].filter((each) => typeof each === "string").map(keyOf));
    const lists = [this.#byId.get(plainText(id)), ...[...keys].map((key) => this.#byName.get(key))];
    return lists.flatMap((list) => {
      if (list) this.#unused.delete(list);
      return list ?? [];
    });
  }

  /** @param record `alias`, and the `id` or the `name` of the records that have it */
  add(record: unknown, number: number): void {
    const { data } = pairSchema.safeParse(record instanceof Unreadable ? undefined : toNfc(record));
    const [id, name] = [data?.id?.trim(), data?.name?.trim()];
    if (!data || (!id && !name)) {
      throw new BrokenFileError("refusals.aliases", { number });
    }
    const [lists, key] = id ? [this.#byId, id] : [this.#byName, keyOf(name ?? "")];
    const list = lists.get(key) ?? [];
    lists.set(key, [...list, data.alias]);
    this.#unused.delete(list);
    this.#unused.set(lists.get(key) ?? [], id || (name ?? ""));
  }

  warnings(): string[] {
    const unused = [...this.#unused.values()];
    if (unused.length === 0) return [];
    const more = unused.length > MOST_NAMED ? ` and ${unused.length - MOST_NAMED} more` : "";
    return [`aliases of no record: ${unused.slice(0, MOST_NAMED).join(", ")}${more}`];
  }
}

/** @throws BrokenFileError for a file that does not hold pairs */
export async function readAliases(records: AsyncIterable<unknown>): Promise<Aliases> {
  const aliases = new Aliases();
  let number = 0;
  for await (const record of records) aliases.add(record, ++number);
  return aliases;
}

/** The fields of a record, with its aliases among those that it has. */
export function withAliases(
  candidate: Record<string, unknown>,
  aliases: Aliases | undefined,
): Record<string, unknown> {
  const added = aliases?.of(candidate) ?? [];
  if (added.length === 0) return candidate;
  const attributes = candidate.attributes ?? {};
  if (!isObject(attributes)) return candidate;
  const own =
    typeof attributes.aliases === "string" ? attributes.aliases.split(/[,;\n]/) : attributes.aliases;
  const known = Array.isArray(own) ? own.map((each) => (typeof each === "string" ? each.trim() : each)) : [];
  return { ...candidate, attributes: { ...attributes, aliases: [...new Set([...known, ...added])] } };
}

/** Signs count, unlike in the search: C is not C++. */
function keyOf(name: string): string {
  return inOneAlphabet(toSimplified(foldLetters(name)).trim().replace(/\s+/g, " "));
}
