import type { Knex } from "knex";

const FUNCTIONS = { donate_items: "keep_price_versions", discounts: "keep_discount_versions" };

/**
 * What an item cost at any time: every regular price and every version of a discount, each with its period. Past prices
 * are computed from them as today's is from the tables.
 *
 * Triggers write them, because imports, commands and pages all change prices. They fire per statement, so large imports
 * stay one statement. A period that ends before it starts (the clock was set back) never applied.
 */
export async function up(knex: Knex): Promise<void> {
  await addTables(knex);
  await fillTables(knex);
  await keepPrices(knex);
  await keepDiscounts(knex);
}

async function addTables(knex: Knex): Promise<void> {
  await knex.raw(`
    create table price_versions (
      id bigint generated always as identity primary key,
      item_key text collate "C" not null references donate_items on delete cascade,
      price numeric(14, 2),
      currency text not null,
      valid_from timestamptz not null,
      valid_to timestamptz
    )`);
  await knex.raw("create index price_versions_item_key on price_versions (item_key, valid_from)");
  await knex.raw(
    "create unique index price_versions_now on price_versions (item_key) where valid_to is null",
  );
  // A withdrawn discount leaves its versions, because the prices of that time do not change.
  await knex.raw(`
    create table discount_versions (
      id bigint generated always as identity primary key,
      discount_id text collate "C" not null,
      item_key text collate "C" not null references donate_items on delete cascade,
      percent numeric(5, 2),
      price numeric(14, 2),
      starts_at timestamptz not null,
      ends_at timestamptz,
      valid_from timestamptz not null,
      valid_to timestamptz
    )`);
  await knex.raw("create index discount_versions_item_key on discount_versions (item_key, starts_at)");
  await knex.raw(
    "create unique index discount_versions_now on discount_versions (discount_id) where valid_to is null",
  );
}

/** Only the last version of existing records is known: a price since its record changed, a discount since its start. */
async function fillTables(knex: Knex): Promise<void> {
  await knex.raw(`
    insert into price_versions (item_key, price, currency, valid_from)
    select id, price, currency, case when revision = 1 then created_at else updated_at end from donate_items`);
  await knex.raw(`
    insert into discount_versions (discount_id, item_key, percent, price, starts_at, ends_at, valid_from)
    select id, item_key, percent, price, starts_at, ends_at, least(starts_at, created_at) from discounts`);
}

async function keepPrices(knex: Knex): Promise<void> {
  const changed = `before join after using (id)
     where (after.price, after.currency) is distinct from (before.price, before.currency)`;
  await knex.raw(`
    create function keep_price_versions() returns trigger language plpgsql as $$
    declare
      this_moment timestamptz := clock_timestamp();
    begin
      if tg_op = 'INSERT' then
        insert into price_versions (item_key, price, currency, valid_from)
        select id, price, currency, created_at from after;
      elsif tg_op = 'UPDATE' then
        update price_versions set valid_to = this_moment
         where valid_to is null and item_key in (select id from ${changed});
        insert into price_versions (item_key, price, currency, valid_from)
        select id, after.price, after.currency, this_moment from ${changed};
      end if;
      return null;
    end $$`);
  await addTrigger(knex, "donate_items", "insert", "new table as after");
  await addTrigger(knex, "donate_items", "update", "old table as before new table as after");
}

/**
 * A discount first stored after its start has run since its start, as its record states. So has one that ended and got
 * a new period (a new run, see follow_discount_runs). Any other change applies from now on.
 */
async function keepDiscounts(knex: Knex): Promise<void> {
  const columns = ["item_key", "percent", "price", "starts_at", "ends_at"];
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(", ");
  const changed = `before join after using (id) where (${of("after")}) is distinct from (${of("before")})`;
  await knex.raw(`
    create function keep_discount_versions() returns trigger language plpgsql as $$
    declare
      this_moment timestamptz := clock_timestamp();
    begin
      if tg_op = 'INSERT' then
        insert into discount_versions (discount_id, ${columns.join(", ")}, valid_from)
        select id, ${of("after")}, least(starts_at, created_at) from after;
      elsif tg_op = 'UPDATE' then
        update discount_versions set valid_to = this_moment
         where valid_to is null and discount_id in (select id from ${changed});
        insert into discount_versions (discount_id, ${columns.join(", ")}, valid_from)
        select id, ${of("after")},
               case when after.run > before.run then least(after.starts_at, this_moment) else this_moment end
          from ${changed};
      else
        update discount_versions set valid_to = this_moment
         where valid_to is null and discount_id in (select id from before);
      end if;
      return null;
    end $$`);
  await addTrigger(knex, "discounts", "insert", "new table as after");
  await addTrigger(knex, "discounts", "update", "old table as before new table as after");
  await addTrigger(knex, "discounts", "delete", "old table as before");
}

async function addTrigger(
  knex: Knex,
  table: keyof typeof FUNCTIONS,
  event: string,
  rows: string,
): Promise<void> {
  await knex.raw(`
    create trigger keep_versions_on_${event} after ${event} on ${table} referencing ${rows}
    for each statement execute function ${FUNCTIONS[table]}()`);
}

export async function down(knex: Knex): Promise<void> {
  for (const [table, name] of Object.entries(FUNCTIONS)) {
    for (const event of ["insert", "update", "delete"]) {
      await knex.raw("drop trigger if exists ?? on ??", [`keep_versions_on_${event}`, table]);
    }
    await knex.raw("drop function ??()", [name]);
  }
  await knex.schema.dropTable("discount_versions");
  await knex.schema.dropTable("price_versions");
}
