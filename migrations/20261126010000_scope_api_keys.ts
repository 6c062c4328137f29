import type { Knex } from "knex";

/**
 * What an API key may do apart from reading: the scopes that its owner chose, and those that operators granted for a
 * time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_keys add column scopes text[] not null default '{}'
      check (scopes <@ array['read:favorites', 'read:notifications'])`);
  await knex.raw(`
    create table api_key_grants (
      key_id bigint not null references api_keys on delete cascade,
      scope text not null check (scope in ('write:records', 'write:servers')),
      granted_by bigint references users on delete set null,
      granted_at timestamptz not null default now(),
      ends_at timestamptz not null check (ends_at > granted_at and ends_at <= granted_at + interval '1 year'),
      primary key (key_id, scope)
    )`);
  await knex.raw("create index api_key_grants_granted_by on api_key_grants (granted_by)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table api_key_grants");
  await knex.raw("alter table api_keys drop column scopes");
}
