import type { Knex } from "knex";

/** Prices are exact decimals. A discount is either a percentage or a new price, never both or neither. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table donate_items (
      id text collate "C" primary key check (id <> '' and char_length(id) <= 200),
      name text not null check (name <> '' and char_length(name) <= 300),
      names jsonb not null default '{}' check (jsonb_typeof(names) = 'object'),
      category text check (category <> ''),
      description text check (description <> ''),
      image text check (image <> ''),
      attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
      price numeric(14, 2) check (price >= 0),
      currency text not null check (currency ~ '^[A-Z][A-Z0-9]{1,11}$'),
      demo boolean not null default false,
      revision integer not null default 1 check (revision > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (updated_at >= created_at)
    )`);
  await knex.raw(`
    create table discounts (
      id text collate "C" primary key check (id <> '' and char_length(id) <= 200),
      item_key text collate "C" not null references donate_items on delete cascade,
      title text check (title <> ''),
      percent numeric(5, 2) check (percent > 0 and percent <= 100),
      price numeric(14, 2) check (price >= 0),
      starts_at timestamptz not null,
      ends_at timestamptz check (ends_at > starts_at),
      demo boolean not null default false,
      revision integer not null default 1 check (revision > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (updated_at >= created_at),
      check (num_nonnulls(percent, price) = 1)
    )`);
  await knex.raw("create index discounts_item_key on discounts (item_key, starts_at)");
  await knex.raw("create index discounts_period on discounts (starts_at, ends_at)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("discounts");
  await knex.schema.dropTable("donate_items");
}
