import type { Knex } from "knex";

/**
 * Accounts disabled by an operator, and the role of editors, who may only change records. A password link may be for an
 * account without a confirmed address, because an operator hands it over. Disabling an account ends its keys
 * everywhere, so it counts as a change of keys (note_key_changes).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users
      add column disabled_at timestamptz,
      drop constraint users_role_check,
      add constraint users_role_check check (role in ('user', 'editor', 'operator'))`);
  await knex.raw("alter table mail_tokens alter column email drop not null");
  await knex.raw(`
    create trigger note_key_change after update of disabled_at on users
    for each row execute function note_key_change()`);
}

/** Disabled users can log in again, and editors become users. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop trigger note_key_change on users");
  await knex.raw("delete from mail_tokens where email is null");
  await knex.raw("alter table mail_tokens alter column email set not null");
  await knex.raw("update users set role = 'user' where role = 'editor'");
  await knex.raw(`
    alter table users
      drop column disabled_at,
      drop constraint users_role_check,
      add constraint users_role_check check (role in ('user', 'operator'))`);
}
