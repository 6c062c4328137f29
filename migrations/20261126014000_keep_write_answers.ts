import type { Knex } from "knex";

/** Responses to writes with an Idempotency-Key, kept for a day: a repeat gets the same response and changes nothing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table write_answers (
      key_id bigint not null references api_keys on delete cascade,
      idempotency_key text not null,
      request bytea not null,
      answer text,
      at timestamptz not null default now(),
      primary key (key_id, idempotency_key)
    )`);
  await knex.raw("create index write_answers_at on write_answers (at)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop table write_answers");
}
