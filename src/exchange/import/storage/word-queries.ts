import type { Knex } from "knex";
import { selectRow } from "../../../db/rows.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import type { ImportKind } from "../kinds.ts";
import type { Word } from "../records/languages.ts";

/**
 * Takes over what a file calls categories and values in other languages; other words stay, except that `prune` removes
 * those of the same category or attribute. Resolves to how many are new, changed or gone.
 */
export async function writeWords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  words: readonly Word[],
  prune: boolean,
): Promise<number> {
  if (words.length === 0) return 0;
  const { changed } = await selectRow<{ changed: number }>(
    transaction,
    `with given as materialized (
       select * from jsonb_to_recordset(:words::jsonb) as g (key text, value text, language text, label text)),
     gone as (
       delete from catalogue_words w
        where :prune and w.kind = :kind and w.key in (select key from given)
          and not exists (select from given g where (g.key, g.value, g.language) = (w.key, w.value, w.language))
       returning 1),
     written as (
       insert into catalogue_words as w (kind, key, value, language, label)
       select :kind, key, value, language, label from given
       on conflict (kind, key, value, language) do update set label = excluded.label
        where w.label <> excluded.label
       returning 1)
     select (select count(*) from gone)::int + (select count(*) from written)::int as changed`,
    { kind, prune, words: JSON.stringify(words) },
  );
  if (changed > 0) await noteChange(transaction, kind);
  return changed;
}

/** Every process takes the words over, and the search reads all records of the kind again. */
async function noteChange(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw(
    `insert into settings as s (key, value) values ('catalogue_words', '1')
     on conflict (key) do update set value = to_jsonb((s.value #>> '{}')::bigint + 1), updated_at = now()`,
  );
  if (!isCatalogueKind(kind)) return;
  await transaction.raw(
    "update catalogue_versions set version = version + 1, listed_from = version + 1 where kind = ?",
    [kind],
  );
  await transaction.raw("delete from catalogue_changes where kind = ?", [kind]);
}
