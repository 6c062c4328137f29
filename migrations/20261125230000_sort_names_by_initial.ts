import type { Knex } from "knex";

/** Later calls of `add_catalogue_kind` copy the indexes from `scripts`. */
const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * Lists begin with letters; names that begin with a digit or a sign come last. The function `name_initial` returns the
 * heading of a name: E for `É`, Е for `ё`, and `…` for other alphabets. Everything else gets `♯`, which sorts last.
 *
 * It is PL/pgSQL because Postgres does not inline an SQL function that uses its argument twice, which takes ten times
 * as long. It uses only pg_catalog, so that an index on it can be restored without a search path.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    "select exists (select from pg_collation where collname = 'und-x-icu') as icu",
  );
  const collation = rows[0].icu ? '"und-x-icu"' : '"C"';
  await knex.raw(`
    create function name_initial(name text) returns text language plpgsql immutable parallel safe as $$
    declare letter text collate "C" := left(name, 1);
    begin
      if letter between 'A' and 'Z' or letter between 'А' and 'Я' then return letter; end if;
      if letter between 'a' and 'z' then return upper(letter); end if;
      if letter between 'а' and 'я' then
        return translate(letter, 'абвгдежзийклмнопрстуфхцчшщъыьэюя', 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ');
      end if;
      if letter in ('Ё', 'ё') then return 'Е'; end if;
      if letter < 'A' then return '♯'; end if;
      letter := translate(upper(letter collate ${collation}), 'ØŁĐÐÆŒÞ', 'OLDDAOT');
      letter := left(normalize(letter, NFKD), 1);
      if letter between 'A' and 'Z' then return letter; end if;
      return case when letter collate ${collation} ~ '^[[:alpha:]]' then '…' else '♯' end;
    end $$`);
  for (const kind of KINDS) {
    await knex.raw(`
      create index ${kind}_initial on ${kind} (name_initial(name) collate "C", name collate name_order, id);
      drop index ${kind}_category;
      create index ${kind}_category on ${kind}
        (category, name_initial(name) collate "C", name collate name_order, id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`
      drop index ${kind}_initial, ${kind}_category;
      create index ${kind}_category on ${kind} (category, name collate name_order, id)`);
  }
  await knex.raw("drop function name_initial(text)");
}
