import type { Knex } from "knex";

/**
 * Accounts and everything that identifies a caller. Every row that belongs to a user refers to `users` with a cascading
 * key, so deleting an account deletes one row. Sessions do so by a column generated from their JSON. The table
 * `sessions` has the columns that connect-pg-simple reads and writes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table users (
      id bigint generated always as identity primary key,
      name text not null check (char_length(name) between 2 and 32),
      name_key text collate "C" not null unique check (name_key <> ''),
      email text check (email <> ''),
      password_hash text not null check (password_hash like '$argon2id$%'),
      role text not null default 'user' check (role in ('user', 'operator')),
      created_at timestamptz not null default now(),
      password_changed_at timestamptz not null default now()
    )`);
  await knex.raw(`
    create table api_keys (
      id bigint generated always as identity primary key,
      user_id bigint not null references users on delete cascade,
      name text not null check (char_length(name) between 1 and 60),
      prefix text not null check (prefix <> ''),
      key_hash bytea not null unique check (octet_length(key_hash) = 32),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`);
  await knex.raw("create index api_keys_user_id on api_keys (user_id)");
  await knex.raw(`
    create table sessions (
      sid text collate "C" primary key,
      sess json not null,
      expire timestamptz not null,
      user_id bigint generated always as ((sess ->> 'userId')::bigint) stored references users on delete cascade
    )`);
  await knex.raw("create index sessions_expire on sessions (expire)");
  await knex.raw("create index sessions_user_id on sessions (user_id)");
  await knex.raw(`
    create table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ["rate_limits", "sessions", "api_keys", "users"]) await knex.schema.dropTable(table);
}
