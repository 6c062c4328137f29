import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import { onTestFinished } from "vitest";
import type { SitePlaces } from "../../src/commands/backup/take-backup.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { makeKindTables } from "../../src/db/own-kinds.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { deliveryJob } from "../../src/notifications/delivery-jobs.ts";
import { ensureLevelPartitions, ensurePartitions } from "../../src/servers/history/roll-up.ts";
import { insertRecords } from "./catalogue.ts";
import { addNotification } from "./notifications.ts";
import { kind } from "./own-kinds.ts";
import { addDonateItem, addServer, hours } from "./things.ts";
import { addHook } from "./webhooks.ts";

/** What COPY has to escape, and what other formats trip over. */
const ODD = 'tab\t line\n return\r back\\slash \\N \\. quote" null-like \\0 ёж 日本 🗡 \u007f';
const DAY_MS = 86_400_000;

/** A site with rows in every table that a backup keeps, an own kind and old partitions among them. */
export async function fillSite(db: Knex): Promise<void> {
  await fillCatalogue(db);
  await fillServers(db);
  await fillAccounts(db);
  await fillMessages(db);
}

async function fillCatalogue(db: Knex): Promise<void> {
  await makeKindTables(db, [{ kind: "quests", one: "quest" }]);
  await db("reference_attributes").insert({
    ...{ kind: "items", one: "item", key: "needs", to_kind: "items", to_one: "item" },
    ...{ is_list: true, id_field: "id", count_field: "count" },
  });
  await insertRecords(db, "items", [
    { id: "sword", name: ODD, names: { ru: ODD }, attributes: { odd: ODD, needs: "iron", price: 1e21 } },
    { id: "iron", attributes: { deep: { list: [1, "2", null, true] } }, popularity: 0.1 },
    { id: "gone" },
  ]);
  for (const each of ["vehicles", "scripts", "houses", "businesses"] as const)
    await insertRecords(db, each, [{ id: `${each} 1`, attributes: { x: 1.5, y: -2 } }]);
  await insertRecords(db, kind("quests"), [{ id: "wolves" }]);
  const next = [
    { id: "sword", name: "Sword", category: "Weapons" },
    { id: "iron", name: "Iron" },
  ];
  await importRecords(db, "items", next, { prune: true, by: COMMAND, origin: { file: "items.json" } });
  await db("record_sources").insert({ kind: "items", id: "sword", source: "wiki" });
  const source = { kind: "items", name: "wiki", settings: "{}", url: "https://wiki.example/" };
  await db("import_sources").insert(source);
  await db("relations").insert({
    ...{ id: "1", from_kind: "item", from_id: "sword", kind: "made-of", to_kind: "item", to_id: "iron" },
    ...{ count: "2.50", chance: "0.333333333333333333333" },
  });
  const word = { kind: "items", key: " ", value: "Weapons", language: "ru", label: "Оружие" };
  await db("catalogue_words").insert(word);
  await db("picture_uploads").insert({ kind: "items", id: "sword", replaced: "x" });
  await db("day_counts").insert({ topic: "visit:items", name: "sword", day: "2026-11-20", count: 3 });
}

async function fillServers(db: Knex): Promise<void> {
  await addServer(db, "ls-one", { attributes: JSON.stringify({ odd: ODD }) });
  const { number } = await db("servers").where({ id: "ls-one" }).first("number");
  const old = new Date(Date.now() - 40 * DAY_MS);
  await ensurePartitions(db, [old]);
  for (const at of [old, new Date()])
    await db("online_records").insert({ checked_at: at, server_number: number, online: 5, status: "online" });
  const counts = { known: 1, up: 1, online_sum: 5, queue_sum: 0, online_count: 1, queue_count: 0 };
  const sums = { server_number: number, ...counts };
  for (const table of ["online_five_minutes", "online_hours", "online_days"]) {
    await ensureLevelPartitions(db, table, [old]);
    await db(table).insert({ start: old, ...sums });
  }
  await db("server_limits").insert({ server_number: number, what: "queue", value: 5, armed: true });
  await db("server_crossings").insert({ server_number: number, what: "up", at: new Date() });
}

async function fillAccounts(db: Knex): Promise<void> {
  const password_hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA";
  const mail = { email: "ann@example.org", confirmed_email: "ann@example.org" };
  const ann = { name: "Ann", name_key: "ann", ...mail, password_hash };
  const [{ id }] = await db("users").insert(ann).returning("id");
  const user_id: number = id;
  const [key] = await db("api_keys")
    .insert({ user_id, name: "bot", prefix: "ab", key_hash: randomBytes(32) })
    .returning("id");
  await db("api_key_grants").insert({ key_id: key.id, scope: "write:servers", ends_at: hours(db, 1) });
  await db("write_answers").insert({
    ...{ key_id: key.id, idempotency_key: "one", request: randomBytes(32) },
    answer: '{"status":204,"headers":{}}',
  });
  await db("api_key_days").insert({ key_id: key.id, day: "2026-11-24", requests: 5, refused: 1 });
  const request = { method: "GET", path: "/api", status: 400, params: ["a,b", 'c"', "\\"] };
  await db("api_key_errors").insert({ key_id: key.id, at: new Date(), ...request });
  const token = { token_hash: randomBytes(32), purpose: "reset", email: "ann@example.org" };
  await db("mail_tokens").insert({ user_id, ...token, expires_at: new Date() });
  await db("sessions").insert({ sid: "s", sess: JSON.stringify({ userId: user_id }), expire: new Date() });
  await db("audit_log").insert({
    ...{ user_id, user_name: "Ann", via: "site", ip: "203.0.113.8" },
    ...{ action: "discount.saved", subject: "discounts/d" },
    ...{ before: JSON.stringify({ odd: ODD }), after: JSON.stringify({ odd: null }) },
  });
  await db("settings").insert({ key: "odd", value: JSON.stringify({ odd: ODD }) });
  await db("server_favorites").insert({ user_id, server_id: "ls-one" });
  await db("server_alerts").insert({ user_id, server_id: "ls-one", what: "up" });
  await addDonateItem(db, "vip", { names: JSON.stringify({ ru: ODD }) });
  await db("donate_favorites").insert({ user_id, item_key: "vip", wish: "5.00", wish_currency: "EUR" });
  await db("entity_favorites").insert([
    { user_id, item_id: "sword" },
    { user_id, quest_id: "wolves" },
  ]);
}

async function fillMessages(db: Knex): Promise<void> {
  const { id: user_id } = await db("users").where({ name: "Ann" }).first("id");
  const notification = await addNotification(db, user_id, "vip");
  const [subscription] = await db("push_subscriptions")
    .insert({ user_id, endpoint: "https://push.example/1", p256dh: "a", auth: "b" })
    .returning("id");
  await db("notification_settings").insert({ user_id, email: "each", digest_hour: 7 });
  const report = { kind: "items", entry_id: "sword", entry_name: "Sword", user_id };
  const declined = { state: "declined", reason: ODD, decided_at: new Date() };
  const [suggestion] = await db("suggestions")
    .insert({ ...report, fields: JSON.stringify({ name: ODD }), ...declined })
    .returning("id");
  await db("notifications").insert({ user_id, suggestion_id: suggestion.id });
  const [digest] = await db("digests").insert({ user_id, day: "2026-11-24" }).returning("id");
  const [waiting] = await db("deliveries")
    .insert({ notification_id: notification.id, user_id, channel: "email" })
    .returning("id");
  await db("deliveries").insert({
    ...{ notification_id: notification.id, user_id, channel: "push", subscription_id: subscription.id },
    ...{ state: "sent", settled_at: new Date() },
  });
  await db("deliveries").insert({
    ...{ notification_id: notification.id, user_id, channel: "digest", digest_id: digest.id },
  });
  const { id: webhook_id } = await addHook(db);
  await db("webhook_news").insert({ event: "entry_new", kind: "items", total: 1, ids: ["sword"] });
  const [event] = await db("webhook_events")
    .insert({ type: "entry.new", data: JSON.stringify({ odd: ODD }) })
    .returning("id");
  await db("deliveries").insert({
    ...{ channel: "webhook", event_id: event.id, webhook_id, message_id: randomUUID() },
  });
  const runAt = new Date(Date.now() + DAY_MS);
  await addJobs(db, [
    { ...deliveryJob({ id: waiting.id, channel: "email", user_id }), queue: "mail", priority: 3 },
    { task: "send_confirmation", payload: { text: ODD }, runAt, maxAttempts: 4 },
  ]);
}

/** All rows of some tables, as texts, by the name of the table; rows and sequences of two databases can be compared. */
export async function readRows(db: Knex, without: readonly string[] = []): Promise<Record<string, unknown>> {
  const tables: { name: string }[] = (
    await db.raw(`select table_name as name from information_schema.tables
                   where table_schema = current_schema() and table_type = 'BASE TABLE'
                     and not exists (select from pg_class c where c.oid = to_regclass(quote_ident(table_name)) and relispartition)
                   order by 1`)
  ).rows;
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    if (without.includes(name)) continue;
    const { rows } = await db.raw("select to_jsonb(t)::text as row from ?? t order by 1", [name]);
    found[name] = rows.map(({ row }: { row: string }) => row);
  }
  const { rows: sequences } = await db.raw(
    "select sequencename as name, last_value as value from pg_sequences where schemaname = current_schema() order by 1",
  );
  found.sequences = sequences.filter(({ name }: { name: string }) => !/^knex_/.test(name));
  return found;
}

/** Indexes, constraints and triggers, which a restore takes away and makes again. */
export async function readSchema(db: Knex): Promise<unknown> {
  const list = async (sql: string) => (await db.raw(sql)).rows;
  return {
    indexes: await list(
      `select indexdef from pg_indexes where schemaname = current_schema() and tablename !~ '_\\d{6,8}$' order by 1`,
    ),
    constraints: await list(
      `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition, convalidated
         from pg_constraint
        where connamespace = current_schema()::regnamespace and conparentid = 0
          and conrelid::regclass::text !~ '_\\d{6,8}$'
        order by 1, 2`,
    ),
    triggers: await list(
      `select tgrelid::regclass::text as "table", tgname, tgenabled from pg_trigger
        where not tgisinternal and tgrelid::regclass::text !~ '^graphile_worker' order by 1, 2`,
    ),
  };
}

/** Jobs that wait, as the queue has them. */
export async function readJobs(db: Knex): Promise<unknown[]> {
  const { rows } = await db.raw(`
    select t.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key, j.priority
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      left join graphile_worker._private_job_queues q on q.id = j.job_queue_id order by 1, 5`);
  return rows;
}

/** A folder for one test, and the places of a site that keeps nothing in it yet. */
export async function makePlaces(): Promise<{ folder: string; site: SitePlaces }> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, site: placesIn(folder) };
}

export function placesIn(folder: string): SitePlaces {
  const dataDir = path.join(folder, "data");
  const vocabularyFile = path.join(dataDir, "site.json");
  return { dataDir, pictures: "files", vocabularyFile, look: [], settings: {} };
}
