import type { Knex } from "knex";

/** A language is any BCP 47 tag: `pt-BR`, `zh-Hant` and `es-419` have their files of texts, as `pt` does. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table users drop constraint users_language_check");
  await knex.raw(`
    alter table users add constraint users_language_check
      check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$')`);
}

/** Users who chose a tag of several parts get its first part, the plain language. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("update users set language = split_part(language, '-', 1) where language like '%-%'");
  await knex.raw("update users set language = null where language !~ '^[a-z]{2,3}$'");
  await knex.raw("alter table users drop constraint users_language_check");
  await knex.raw("alter table users add constraint users_language_check check (language ~ '^[a-z]{2,3}$')");
}
