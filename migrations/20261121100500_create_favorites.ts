import type { Knex } from "knex";

/**
 * Three kinds of favorites, each with a real foreign key. An entity favorite refers to exactly one of three tables.
 * `kind` and `entity_id` are generated from that column, so they can't contradict it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table server_favorites (
      user_id bigint not null references users on delete cascade,
      server_id text collate "C" not null references servers on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, server_id)
    )`);
  await knex.raw("create index server_favorites_server_id on server_favorites (server_id)");
  await knex.raw(`
    create table donate_favorites (
      user_id bigint not null references users on delete cascade,
      item_key text collate "C" not null references donate_items on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, item_key)
    )`);
  await knex.raw("create index donate_favorites_item_key on donate_favorites (item_key)");
  await knex.raw(`
    create table entity_favorites (
      user_id bigint not null references users on delete cascade,
      item_id text collate "C" references items on delete cascade,
      house_id text collate "C" references houses on delete cascade,
      business_id text collate "C" references businesses on delete cascade,
      kind text generated always as (
        case when item_id is not null then 'item' when house_id is not null then 'house' else 'business' end
      ) stored,
      entity_id text collate "C" generated always as (coalesce(item_id, house_id, business_id)) stored,
      created_at timestamptz not null default now(),
      primary key (user_id, kind, entity_id),
      check (num_nonnulls(item_id, house_id, business_id) = 1)
    )`);
  for (const column of ["item_id", "house_id", "business_id"]) {
    await knex.raw(
      `create index entity_favorites_${column} on entity_favorites (${column}) where ${column} is not null`,
    );
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ["entity_favorites", "donate_favorites", "server_favorites"]) {
    await knex.schema.dropTable(table);
  }
}
