import request from "supertest";
import { describe, expect, it } from "vitest";
import { routeOf } from "../../src/web/api/endpoint.ts";
import { type TestUser, useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { holdForm } from "../helpers/raw-http.ts";
import { routesOf } from "../helpers/routes.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp({ trustProxy: true });

const NEW_PASSWORD = "another horse battery";

type Person = Pick<TestUser, "password"> & { cookie: string };

function cookieOf(answer: request.Response): string {
  return /^[^;]*/.exec(answer.headers["set-cookie"]?.[0] ?? "")?.[0] ?? "";
}

async function sidsOf(userId: number): Promise<string[]> {
  return site.db("sessions").where({ user_id: userId }).pluck("sid");
}

function changePassword({ cookie, password }: Person) {
  const form = { current_password: password, new_password: NEW_PASSWORD };
  return site.post("/profile/password", form, { Cookie: cookie });
}

const UPLOAD =
  '--part\r\nContent-Disposition: form-data; name="picture"; filename="a.png"\r\n\r\nnone\r\n--part--\r\n';

/** Everything that takes a form of who is logged in, and what it is sent. */
const FORMS: Record<string, string> = {
  "/profile/email": "email=thief@example.org&current_password={password}",
  "/profile/email/confirmation": "a=b",
  "/profile/locale": "language=ru",
  "/profile/password": "current_password={password}&new_password=password of a thief",
  "/profile/delete": "current_password={password}&confirm=yes",
  "/profile/keys": "name=of a thief&expiry=never",
  "/notifications/read": "a=b",
  "/notifications/unread": "id=1",
  "/notifications/settings/email": "email=off",
  "/notifications/settings/push": "push=on",
  "/notifications/settings/push/:id/remove": "a=b",
  "/notifications/settings/feed": "feed=on",
  "/notifications/settings/quiet": "quiet_from=1&quiet_until=2",
  "/servers/:id/alerts": "up=1",
  "/donate/:key/wish": "price=1",
  "/operator": "done=backup",
  "/operator/new-discount": "item=things&percent=50",
  "/operator/discounts/:id": "amount=50",
  "/operator/discounts/:id/end": "a=b",
  "/operator/people/:id": "action=sessions",
  "/operator/servers": "pause=held",
  "/operator/new-record/:kind": "id=held&name=Held",
  "/operator/records/:kind/:id": "name=Held&version=",
  "/operator/records/:kind/:id/remove": "action=merge&into=other&note=why",
  "/operator/records/:kind/:id/restore": "again=1",
  "/operator/imports/new": "url=https://thief.example/&kind=items",
  "/operator/imports/sources/:id": "action=delete",
  "/operator/imports/:id": "touched=1",
  "/operator/imports/uploads/:id": "step=apply",
  "/operator/suggestions/:suggestion": "reason=no",
  "/suggest/:kind/:id": "note=wrong",
  "/operator/site": "SITE_NAME=Of a thief",
  "/operator/site/logo": UPLOAD,
  "/operator/backup": "a=b",
  "/operator/deliveries": "action=retry-all",
  "/notifications/webhooks": "address=https://thief.example/&discount=1&language=en",
  "/notifications/webhooks/:id": "action=remove",
  "/operator/webhooks": "address=https://thief.example/&discount=1&language=en",
  "/operator/webhooks/:id": "action=remove",
  "/operator/api-keys": "owner=a thief&key=alm_1234&scope=write:records&until=2099-01-01",
  "/operator/pictures/:kind/:id": UPLOAD,
  "/operator/pictures/:kind/:id/remove": "a=b",
  "/operator/vocabulary/kinds/:kind": "action=save",
  "/operator/vocabulary/every-kind": "action=save",
  "/operator/vocabulary/new-kind": "kind=quests&word=quest",
  "/operator/vocabulary/categories": "action=save",
  "/operator/vocabulary/text": "action=save&text={}",
  "/api/favorites/toggle": "server_id=held",
  "/api/donate_favorites/toggle": "item_key=held",
  "/api/entity_favorites/toggle": "kind=house&entity_id=held",
  "/api/entry_favorites/toggle": "kind=house&entity_id=held",
  "/notifications/push": "endpoint=https://fcm.googleapis.com/thief",
};

/** Those with text fields: the log-in form appears at once, with what they typed. */
const TYPED =
  /^\/(profile\/(email|locale|keys)|operator\/(api-keys|imports\/new|site|new-discount|discounts\/:id|new-record\/:kind|records\/:kind\/:id(\/remove)?|webhooks.*|vocabulary\/.+)|notifications\/webhooks.*|donate\/:key\/wish|suggest\/:kind\/:id|servers\/:id\/alerts)$/;
const ASKED_AT_ONCE = /^HTTP\/1\.1 401 [\s\S]*WWW-Authenticate: Form action="\/login"/;
const SENT_TO_LOG_IN = /^HTTP\/1\.1 303 [\s\S]*Location: \/login\?.*ended=yes/;

/** What anybody may send, or what is done before a body arrives. */
const OTHERS = [
  "/announcements",
  "/register",
  "/login",
  "/login/forgotten",
  "/login/new-password/:token",
  "/confirm-email/:token",
  "/logout",
  "/profile/keys/:id/revoke",
  "/unsubscribe/:token",
];

/** What no session may do. */
function byKeyAlone(): string[] {
  const writes = declaredEndpoints().filter(
    ({ method, access }) => method === "POST" && access.startsWith("write:"),
  );
  return writes.map(({ path }) => routeOf(path));
}

describe("a form whose session ends before all of it has arrived", () => {
  it("is one of those below, or needs no log-in", () => {
    const routes = [...routesOf(site.app.express)].filter(([, methods]) => methods.has("post"));
    const known = [...Object.keys(FORMS), ...byKeyAlone(), ...OTHERS];
    expect(routes.map(([path]) => path).sort()).toEqual(known.sort());
  });

  it.each(Object.entries(FORMS))("%s does nothing and asks for a log-in", async (path, template) => {
    const { id, password, cookie } = await site.logIn(await site.createUser({ role: "operator" }));
    const body = template.replace("{password}", encodeURIComponent(password));
    const headers = {
      Cookie: cookie,
      Accept: "text/html",
      ...(template === UPLOAD && { "Content-Type": "multipart/form-data; boundary=part" }),
    };
    const place = path.replace(":kind", "items").replace(/:(id|key)/, "held");
    const held = await holdForm(site.app, place, headers, body);
    const before = await everythingOf(id);
    await site.db("sessions").where({ user_id: id }).delete();
    const { status, headers: answer } = await held.finish();
    if (path === "/notifications/push") expect(status).toBe(401);
    else expect(answer).toMatch(TYPED.test(path) ? ASKED_AT_ONCE : SENT_TO_LOG_IN);
    expect(answer).not.toContain("Set-Cookie");
    expect(await everythingOf(id)).toEqual(before);
    expect(await sidsOf(id)).toEqual([]);
  });

  it("is refused to an operator who is one no more", async () => {
    const { id, cookie } = await site.logIn(await site.createUser({ role: "operator" }));
    const held = await holdForm(site.app, "/operator/deliveries", { Cookie: cookie }, "action=retry-all");
    await site.db("users").where({ id }).update({ role: "user" });
    expect((await held.finish()).status).toBe(403);
  });

  it("answers a program with 401", async () => {
    const { id, cookie } = await site.logIn();
    await addServer(site.db, "held-json");
    const headers = { Cookie: cookie, "Content-Type": "application/json" };
    const held = await holdForm(site.app, "/api/favorites/toggle", headers, '{"server_id":"held-json"}');
    await site.db("sessions").where({ user_id: id }).delete();
    expect((await held.finish()).status).toBe(401);
    expect(await site.db("server_favorites").where({ user_id: id })).toEqual([]);
  });

  it("still logs in, where that is what it is for", async () => {
    const { id, name, password, cookie } = await site.logIn();
    const body = new URLSearchParams({ name, password }).toString();
    const held = await holdForm(site.app, "/login", { Cookie: cookie }, body);
    await site.db("sessions").where({ user_id: id }).delete();
    const { status, headers } = await held.finish();
    expect(status).toBe(303);
    const given = /Set-Cookie: ([^;]*)/.exec(headers)?.[1] ?? "";
    await request(site.app).get("/profile").set("Cookie", given).expect(200);
  });
});

/** What of a user could be another by a form. */
async function everythingOf(id: number): Promise<unknown> {
  const user = await site.db("users").where({ id }).first();
  const tables = ["api_keys", "server_favorites", "donate_favorites", "entity_favorites"];
  const more = [...tables, "notification_settings", "push_subscriptions", "mail_tokens"];
  return [user, ...(await Promise.all(more.map((table) => site.db(table).where({ user_id: id }))))];
}

describe("a session that has ended", () => {
  it("does not come back by a form that a thief holds until the password is changed", async () => {
    const owner = await site.logIn();
    const thief = await site.logIn(owner);
    await addServer(site.db, "stolen");
    const headers = { Cookie: thief.cookie, Accept: "text/html" };
    const held = await holdForm(site.app, "/api/favorites/toggle", headers, "server_id=stolen");
    await changePassword(owner).expect(303);
    const { headers: answer } = await held.finish();
    expect(answer).toContain("ended=yes");
    expect(await sidsOf(owner.id)).toHaveLength(1);
    await request(site.app).get("/profile").set("Cookie", thief.cookie).expect(303);
    await request(site.app).get("/api/online").set("Cookie", thief.cookie).expect(401);
  });

  it("does not come back by eight toggles at a time that run as the password is changed", async () => {
    const owner = await site.logIn();
    const thieves = await Promise.all(Array.from({ length: 4 }, () => site.logIn(owner)));
    await addServer(site.db, "toggled");
    const toggle = ({ cookie }: Person) =>
      site.post("/api/favorites/toggle", "server_id=toggled", { Cookie: cookie, Accept: "text/html" });
    let isChanged = false;
    const toggles = Array.from({ length: 8 }, async (_none, index) => {
      const thief = thieves[index % thieves.length] ?? owner;
      for (let round = 0; round < 500 && !isChanged; round += 1) await toggle(thief);
    });
    const changed = await changePassword(owner).expect(303);
    isChanged = true;
    await Promise.all(toggles);
    expect(await sidsOf(owner.id)).toHaveLength(1);
    for (const { cookie } of [owner, ...thieves]) {
      await request(site.app).get("/profile").set("Cookie", cookie).expect(303);
    }
    await request(site.app).get("/profile").set("Cookie", cookieOf(changed)).expect(200);
  });

  it("does not come back by a request that runs as its user logs out", async () => {
    const { id, cookie } = await site.logIn();
    await addServer(site.db, "left");
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id }).forUpdate().first("id");
    const headers = { Cookie: cookie, Accept: "text/html" };
    const toggling = site.post("/api/favorites/toggle", "server_id=left", headers).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await request(site.app).post("/logout").set("Cookie", cookie).expect(303);
    await transaction.commit();
    const answer = await toggling;
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([303, undefined]);
    expect(await sidsOf(id)).toEqual([]);
    expect(await site.db("server_favorites").where({ user_id: id })).toEqual([]);
  });

  it("has nothing to show to who began it before the password was changed", async () => {
    const { id, cookie } = await site.logIn();
    await request(site.app).get("/profile").set("Cookie", cookie).expect(200);
    const password_changed_at = site.db.raw("clock_timestamp()");
    await site.db("users").where({ id }).update({ password_changed_at });
    await request(site.app).get("/profile").set("Cookie", cookie).expect(303);
    await request(site.app).get("/api/online").set("Cookie", cookie).expect(401);
  });
});

describe("while a password is being changed", () => {
  /** Another change that is about to be committed: the row has the new password and is locked. */
  async function changing(id: number) {
    const transaction = await openTransaction(site.db);
    const other = await site.createUser({ password: NEW_PASSWORD });
    const { password_hash } = await site.db("users").where({ id: other.id }).first("password_hash");
    const password_changed_at = site.db.raw("clock_timestamp()");
    await transaction("users").where({ id }).update({ password_hash, password_changed_at });
    await transaction("sessions").where({ user_id: id }).delete();
    return transaction;
  }

  it("a log-in with the old one comes to nothing", async () => {
    const { id, name, password } = await site.createUser();
    const transaction = await changing(id);
    const logging = site.post("/login", { name, password }).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await transaction.commit();
    const answer = await logging;
    expect(answer.status).toBe(401);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(await sidsOf(id)).toEqual([]);
  });

  it.each([
    ["/profile/password", { new_password: "a third horse battery" }],
    ["/profile/email", { email: "thief@example.org" }],
    ["/profile/delete", { confirm: "yes" }],
    ["/profile/keys", { name: "of a thief", expiry: "never" }],
  ])("%s with the old one comes to nothing", async (path, form) => {
    const { id, name, password, cookie } = await site.logIn();
    const transaction = await changing(id);
    const fields = { ...form, current_password: password };
    const sending = site.post(path, fields, { Cookie: cookie }).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await transaction.commit();
    const answer = await sending;
    expect([answer.status, answer.headers.location]).toEqual(
      TYPED.test(path) ? [401, undefined] : [303, "/login?ended=yes"],
    );
    expect(await site.db("api_keys").where({ user_id: id })).toEqual([]);
    expect(await site.db("users").where({ id }).first("email")).toEqual({ email: null });
    await site.post("/login", { name, password: NEW_PASSWORD }).expect(303);
  });
});

describe("what ends sessions", () => {
  it.each([
    ["/login", {}],
    ["/profile/password", { new_password: NEW_PASSWORD }],
    ["/profile/email", { email: "other@example.org" }],
    ["/profile/delete", { confirm: "yes" }],
  ])("takes the user's row first, so that no two wait for each other: %s", async (path, fields) => {
    const { id, name, password, cookie } = await site.logIn();
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id }).forUpdate().first("id");
    const form = { name, password, current_password: password, ...fields };
    const sending = site.post(path, form, { Cookie: cookie }).then(({ status }) => status);
    await waitForLocks(site.db, 1);
    const sessions = transaction("sessions").where({ user_id: id }).forUpdate().noWait();
    expect(await sessions.pluck("sid")).toHaveLength(1);
    await transaction.commit();
    expect(await sending).toBeLessThan(400);
    expect(await sidsOf(id)).toHaveLength(path === "/profile/delete" ? 0 : 1);
  });
});

describe("while an account is being deleted", () => {
  it.each([
    ["/profile/keys", "name=late&expiry=never"],
    ["/notifications/settings/feed", "feed=on"],
    ["/api/favorites/toggle", "server_id=late"],
    ["/api/donate_favorites/toggle", "item_key=late"],
    ["/api/entity_favorites/toggle", "kind=house&entity_id=late"],
  ])("%s asks for a log-in", async (path, body) => {
    await addServer(site.db, "late").catch(() => undefined);
    await addDonateItem(site.db, "late").catch(() => undefined);
    await addEntity(site.db, "houses", "late").catch(() => undefined);
    const { id, cookie } = await site.logIn();
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id }).delete();
    const headers = { Cookie: cookie, Accept: "text/html" };
    const sending = site.post(path, body, headers).then((answer) => answer);
    await waitForLocks(site.db, 1);
    await transaction.commit();
    const answer = await sending;
    expect(answer.status).toBe(TYPED.test(path) ? 401 : 303);
    if (answer.status === 303) expect(answer.headers.location).toMatch(/^\/login\?.*ended=yes/);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});
