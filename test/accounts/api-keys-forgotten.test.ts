import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { issueToken } from "../../src/accounts/token-queries.ts";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";

const site = useTestApp();
let app: SiteListener;

// One that would know keys for an hour.
beforeAll(async () => {
  const log = pino({ level: "silent" });
  app = await site.another({}, { feed: new ChangeFeed({ db: site.db, log, maxAgeMs: 3_600_000 }) });
});

const password = "a new and long password";
const forms: [
  what: string,
  send: (agent: Agent, user: TestUser, keyId: number) => PromiseLike<request.Response>,
][] = [
  ["revokes it", (agent, _user, keyId) => agent.post(`/profile/keys/${keyId}/revoke`)],
  [
    "ends keys with a new password",
    (agent, user) => sendForm(agent, "password", { current_password: user.password, new_password: password }),
  ],
  [
    "ends keys with a new address",
    (agent, user) => sendForm(agent, "email", { current_password: user.password, email: "new@mail.test" }),
  ],
  ["ends keys with a new password by a mailed link", sendNewPassword],
  ["deletes the account", (agent, user) => sendForm(agent, "delete", { current_password: user.password })],
];

function sendForm(agent: Agent, name: string, fields: Record<string, string>) {
  return agent
    .post(`/profile/${name}`)
    .type("form")
    .send({ ...fields, end_keys: "yes", confirm: "yes" });
}

async function sendNewPassword(agent: Agent, { id }: TestUser): Promise<request.Response> {
  const email = "owner@mail.test";
  await site.db("users").where({ id }).update({ email, confirmed_email: email });
  const token = await issueToken(site.db, "reset", { userId: id, email });
  const form = { new_password: password, end_keys: "yes" };
  return agent.post(`/login/new-password/${token}`).type("form").send(form);
}

describe("a key that the process knows", () => {
  it.each(forms)("is refused at once when its owner %s", async (_what, send) => {
    const user = await site.createUser();
    const key = String(await createKey(site.db, user.id, { name: "known", expiry: "never" }));
    const { id } = await site.db("api_keys").where({ user_id: user.id }).first("id");
    const ask = () => request(app).get("/api/online").set("X-API-Key", key);
    await ask().expect(200);
    const agent = request.agent(app);
    const { name } = user;
    await agent.post("/login").type("form").send({ name, password: user.password }).expect(303);
    const { status } = await send(agent, user, id);
    expect([200, 303]).toContain(status);
    await ask().expect(401);
  });
});
