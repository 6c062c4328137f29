import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { findNameTint } from "../../words/vocabulary/tint.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Pictured } from "../picture.ts";

/** An entry named in an attribute's value. */
export interface NamedEntry extends Pictured {
  readonly kind: CatalogueKind;
  readonly id: string;
  readonly name: string;
  /** Names by locale. */
  readonly names: Record<string, string>;
  readonly category: string | null;
  /** The class of the colour of its name. */
  readonly tint: string | undefined;
}

/** A reference's text, and the kind that it refers to. */
export interface SaidOfKind {
  readonly kind: CatalogueKind;
  readonly said: string;
}

/** The entries that were looked up for a page, by the values that name them. */
export class NamedEntries {
  readonly #found: ReadonlyMap<string, NamedEntry>;
  /** When one of them last changed, or undefined. */
  readonly changedAt: Date | undefined;

  constructor(found: readonly (readonly [SaidOfKind, NamedEntry])[] = [], changedAt?: Date) {
    this.changedAt = changedAt;
    this.#found = new Map(found.map(([said, entry]) => [keyOf(said), entry]));
  }

  find(said: SaidOfKind): NamedEntry | undefined {
    return this.#found.get(keyOf(said));
  }
}

function keyOf({ kind, said }: SaidOfKind): string {
  return `${kind} ${said}`;
}

/**
 * Looks up the entries that values name, one statement for each kind that is not switched off: by id, or by a name that
 * only one entry has.
 */
export async function lookUpEntries(
  db: Db,
  wanted: readonly SaidOfKind[],
  words: Vocabulary,
): Promise<NamedEntries> {
  const shown = wanted.filter(({ kind }) => !isHidden(kind));
  const byKind = Map.groupBy(shown, ({ kind }) => kind);
  const found = await Promise.all(
    [...byKind].map(async ([kind, each]) => {
      const said = [...new Set(each.map(({ said }) => said))];
      const rows = await selectRows<Row>(db, lookUpSql(kind), { said, tint: words.of(kind).tint ?? "" });
      return rows.map(({ said, tinted, updated_at, ...entry }) => {
        const named = { ...entry, kind, tint: findNameTint(words.of(kind), tinted) };
        return { at: Number(updated_at), pair: [{ kind, said }, named] as const };
      });
    }),
  );
  const all = found.flat();
  const changedAt = all.length === 0 ? undefined : new Date(Math.max(...all.map(({ at }) => at)));
  return new NamedEntries(
    all.map(({ pair }) => pair),
    changedAt,
  );
}

interface Row extends Omit<NamedEntry, "kind" | "tint"> {
  readonly said: string;
  readonly tinted: unknown;
  readonly updated_at: Date;
}

/** SQL. If many entries have the name, it reads two of them. */
function lookUpSql(kind: CatalogueKind): string {
  const columns = "id, name, names, category, picture, image, attributes -> :tint as tinted, updated_at";
  return `
    select v.said, e.*
      from unnest(cast(:said as text[])) v (said)
     cross join lateral (
       (select ${columns} from ${kind} where id = v.said)
       union all
       select id, name, names, category, picture, image, tinted, updated_at
         from (select two.*, count(*) over () as namesakes
                 from (select ${columns} from ${kind} where name collate name_order = v.said limit 2) two) named
        where namesakes = 1 and not exists (select from ${kind} where id = v.said)) e`;
}
