import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Knex } from "knex";
import { pino } from "pino";
import request from "supertest";
import { expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { createApp, type SiteListener } from "../../src/app.ts";
import { createDb } from "../../src/db/connect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { type Agent, TEST_CONFIG } from "../helpers/app.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { useEmbedded } from "../helpers/embedded.ts";
import { createTestSearch } from "../helpers/search.ts";
import { addDiscount, addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const endpoints = declaredEndpoints();

const { stoppedDatabase, start } = useEmbedded();

/** Hostile values for any field: encoded in addresses, plain in bodies. */
const VALUES = [
  "none",
  "\0",
  "a\0b",
  "\ud800",
  "\\x00",
  "\\u0000",
  "'\"%_\\;--",
  "😀",
  "-1",
  "0",
  "99999999999999999999",
  "1e400",
  "NaN",
  "Infinity",
  "2026-13-45",
  "99999-01-01T00:00",
  "0000-00-00",
  "n".repeat(3_000),
];

const NAME = "Operator";
const PASSWORD = "a password for tests";
const FORM_ID = "0b6b0b0e-2d3c-4f7a-9a3b-2f1f0c9e8d7a";
const WEBHOOK = { address: "https://hook.example/a", discount: "1", language: "en", form_id: FORM_ID };
const DISCOUNT = {
  item: "d1",
  title: "Sale",
  kind: "percent",
  amount: "10",
  starts: "2099-01-01T10:00",
  ends: "2099-02-01T10:00",
  zone: "UTC",
  step: "save",
  seen: "",
  id: "sale-12345678",
};

/** Parameters that some page or endpoint knows, and the fields that lists can be filtered by. */
const PARAMETERS = [
  ..."q kind category sort page limit offset country mode sex first last min_len max_len count seed id at range".split(
    " ",
  ),
  ..."next favorite phase item show api_key a.price a.class min.price max.price x y ids cursor fields lang letter".split(
    " ",
  ),
];

/** Every form as it should be, to be sent with each of its fields spoilt in turn. */
const FORMS: [string, Record<string, string>][] = [
  ["/api/favorites/toggle", { server_id: "s1", wanted: "yes" }],
  ["/api/donate_favorites/toggle", { item_key: "d1", wanted: "yes" }],
  ...["item", "house", "business"].map((kind): [string, Record<string, string>] => [
    "/api/entity_favorites/toggle",
    { kind, entity_id: "i1" },
  ]),
  ["/register", { name: "Newcomer", password: PASSWORD, email: "new@example.org", time_zone: "UTC" }],
  ["/login", { name: NAME, password: PASSWORD, next: "/", favorite: "item:i1" }],
  ["/login/forgotten", { email: "ann@example.org" }],
  ["/login/new-password/x", { new_password: PASSWORD }],
  ["/confirm-email/x", { confirm: "yes" }],
  ["/unsubscribe/x", { confirm: "yes" }],
  ["/profile/email", { email: "ann@example.org", current_password: PASSWORD }],
  ["/profile/locale", { language: "en", time_zone: "Europe/Berlin" }],
  ["/profile/keys", { name: "key", expiry: "date", expires_on: "2099-01-01", form_id: FORM_ID }],
  ["/profile/keys/1/revoke", {}],
  ["/notifications/read", { id: "1", show: "all" }],
  ["/notifications/unread", { id: "1", show: "all" }],
  ["/notifications/settings/email", { email: "daily", digest_hour: "7" }],
  ["/notifications/settings/push", { push: "on" }],
  ["/notifications/settings/push/1/remove", {}],
  ["/notifications/settings/feed", { feed: "on" }],
  ["/operator/deliveries", { action: "retry", id: "1" }],
  ["/notifications/webhooks", WEBHOOK],
  ["/notifications/webhooks/1", { action: "test" }],
  ["/notifications/webhooks/1", { ...WEBHOOK, action: "save" }],
  ["/operator/webhooks", WEBHOOK],
  ["/operator/new-discount", DISCOUNT],
  ["/operator/new-discount", { ...DISCOUNT, item: "none" }],
  ["/operator/discounts/discount-1", { ...DISCOUNT, version: "1" }],
  ["/operator/discounts/discount-1/end", { wanted: "withdraw" }],
];

const SECTIONS = "items vehicles scripts houses businesses servers donate operator/discounts".split(" ");
const READS = [
  ..."/ /search /nicknames /favorites /notifications /notifications/settings /items.rss /discounts.rss".split(
    " ",
  ),
  ..."/sitemap.xml /houses/map /businesses/map/points /compare/items /login /register /profile/keys".split(
    " ",
  ),
  ..."/operator/discounts /operator/new-discount /operator/deliveries /items /vehicles /servers /donate".split(
    " ",
  ),
  ...endpoints
    .filter(({ method, ofKind }) => method === "GET" && !ofKind)
    .map(({ path: address }) => address),
  // One of each query: the lists of all kinds of the catalogue are the same.
  ..."/api/items /api/servers /api/donate-items /api/discounts".split(" "),
];
const NAMED = [
  ...SECTIONS.map((section) => (value: string) => `/${section}/${value}`),
  (value: string) => `/api/items/${value}`,
  (value: string) => `/api/discounts?ids=i1,${value}`,
  ..."servers/s1/history notifications login/new-password confirm-email unsubscribe".split(" ").map(below),
  (value: string) => `/notifications/feed/${value}.rss`,
  (value: string) => `/sitemap-${value}-1.xml`,
];
/** Encodes it as a part of an address. */
function encoded(value = ""): string {
  return encodeURIComponent(value.toWellFormed());
}

function below(section: string) {
  return (value: string) => `/${section}/${value}`;
}

it("keeps errors out of the database's log, whatever a client sends", async () => {
  const directory = await stoppedDatabase();
  const { url } = await start(directory);
  const { app, db } = await openSite(url);
  const agent = await operator(app, db);
  const log = path.join(directory, "server.log");
  const before = (await readFile(log)).length;

  let sent = 0;
  const send = async (asked: request.Test) => {
    const answer = await asked;
    sent += 1;
    expect(answer.status, `${answer.request.method} ${answer.request.url} ${answer.text}`).toBeLessThan(500);
  };
  for (const [place, address] of READS.entries()) {
    // Every sixth parameter, with another value each: all pairs would take minutes.
    const chosen = PARAMETERS.filter((_, at) => (at + place) % 6 === 0);
    const targets = chosen.map(
      (name, at) => `${address}?${name}=${encoded(VALUES[(at + place) % VALUES.length])}`,
    );
    await Promise.all(targets.map((target) => send(agent.get(target))));
  }
  for (const [turn, value] of VALUES.entries()) {
    await Promise.all(NAMED.map((named) => send(agent.get(named(encoded(value))))));
    for (const [address, form] of FORMS) {
      const chosen = Object.keys(form).filter((_, at) => (at + turn) % 6 === 0);
      for (const field of chosen) {
        await send(
          agent
            .post(address)
            .type("form")
            .send({ ...form, [field]: value }),
        );
      }
    }
    await send(
      agent.post("/notifications/push").send({ endpoint: value, keys: { p256dh: value, auth: value } }),
    );
  }
  expect(sent).toBeGreaterThan(700);
  const lines = (await readFile(log)).subarray(before).toString("utf8").split("\n");
  expect(lines.filter((line) => / (ERROR|FATAL|PANIC|STATEMENT): /.test(line))).toEqual([]);
});

async function openSite(url: string): Promise<{ app: SiteListener; db: Knex }> {
  const db = createDb({ url });
  onTestFinished(() => db.destroy());
  await migrate(db);
  await addServer(db, "s1");
  await addEntity(db, "items", "i1", { attributes: { price: 3, class: "a" } });
  await addEntity(db, "houses", "h1", { attributes: { x: 1, y: 2 } });
  await addDonateItem(db, "d1");
  await addDiscount(db, "discount-1", "d1");
  const search = createTestSearch({ db, url });
  onTestFinished(() => search.close());
  const config = { ...TEST_CONFIG, mail: { kind: "smtp", url: "smtp://127.0.0.1:1" } as const };
  return {
    app: createApp({ assets: await buildAssets(), config, db, log: pino({ level: "silent" }), search }),
    db,
  };
}

async function operator(app: SiteListener, db: Knex): Promise<Agent> {
  const who = { name: NAME, password: PASSWORD };
  await createUser(db, { ...who, role: "operator" });
  const agent = request.agent(app);
  await agent.post("/login").type("form").send(who).expect(303);
  return agent;
}
