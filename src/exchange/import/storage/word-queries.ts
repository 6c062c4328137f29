import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import type { ImportKind } from "../kinds.ts";
import type { Word } from "../records/languages.ts";

/** A changed name of a category or value; null stands for no name. */
export interface WordChange {
  readonly key: string;
  readonly value: string;
  readonly language: string;
  readonly label: string | null;
  readonly before: string | null;
}

/**
 * Takes over what a file calls categories and values in other languages; other words stay, except that `prune` removes
 * those of the same category or attribute. Resolves to those that are new, changed or gone.
 */
export async function writeWords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  words: readonly Word[],
  prune: boolean,
): Promise<WordChange[]> {
  if (words.length === 0) return [];
  const changes = await selectRows<WordChange>(
    transaction,
    `with given as materialized (
       select * from jsonb_to_recordset(:words::jsonb) as g (key text, value text, language text, label text))
     select g.*, w.label as before
       from given g left join catalogue_words w
         on w.kind = :kind and (w.key, w.value, w.language) = (g.key, g.value, g.language)
      where w.label is distinct from g.label
     union all
     select w.key, w.value, w.language, null, w.label from catalogue_words w
      where :prune and w.kind = :kind and w.key in (select key from given)
        and not exists (select from given g where (g.key, g.value, g.language) = (w.key, w.value, w.language))`,
    { kind, prune, words: JSON.stringify(words) },
  );
  await applyWords(transaction, kind, changes);
  return changes;
}

/** Writes names of categories and values, and removes those without a label. */
export async function applyWords(
  transaction: Knex.Transaction,
  kind: ImportKind,
  changes: readonly WordChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.raw(
    `with changes as materialized (
       select * from jsonb_to_recordset(:changes::jsonb) as c (key text, value text, language text, label text)),
     gone as (
       delete from catalogue_words w using changes c
        where c.label is null and w.kind = :kind and (c.key, c.value, c.language) = (w.key, w.value, w.language))
     insert into catalogue_words (kind, key, value, language, label)
     select :kind, key, value, language, label from changes where label is not null
     on conflict (kind, key, value, language) do update set label = excluded.label`,
    { kind, changes: JSON.stringify(changes) },
  );
  await noteChange(transaction, kind);
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
