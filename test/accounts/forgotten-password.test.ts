import { createHash } from "node:crypto";
import pg from "pg";
import request from "supertest";
import { describe, expect, it, vi } from "vitest";
import { SENDS_MAIL, tokenOf, useAccountMail } from "../helpers/account-mail.ts";
import { type TestUser, useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { textOf } from "../helpers/html.ts";

const site = useTestApp({ ...SENDS_MAIL, trustProxy: true });
const mail = useAccountMail(site);

const NEW_PASSWORD = "another horse battery";
let people = 0;
let networks = 0;

/** A user whose address is confirmed; one of their own unless told. */
async function reachable(address?: string): Promise<TestUser & { email: string }> {
  people += 1;
  const email = address ?? `person-${people}@example.org`;
  const user = await site.createUser();
  await site.db("users").where({ id: user.id }).update({ email, confirmed_email: email });
  return { ...user, email };
}

/** Each from a network of its own, unless told. */
function ask(email: string, network?: string) {
  networks += 1;
  const from = network ?? `10.2.${networks >> 8}.${networks & 255}`;
  return site.post("/login/forgotten", { email }, { "X-Forwarded-For": from });
}

async function linkFor(email: string): Promise<string> {
  await ask(email).expect(303);
  const [arrived] = await mail.deliver();
  return String(arrived?.links[0]);
}

function choose(link: string, new_password = NEW_PASSWORD) {
  return site.post(link, { new_password });
}

function logIn(name: string, password: string) {
  return site.post("/login", { name, password }, { "X-Forwarded-For": "203.0.113.200" });
}

async function open(link: string, status: number): Promise<string> {
  return textOf((await request(site.app).get(link).expect(status)).text);
}

function textOfQuery(query: unknown): unknown {
  return typeof query === "object" && query !== null && "text" in query ? query.text : query;
}

describe("asking for a new password", () => {
  it("is offered on the log-in page", async () => {
    const page = await request(site.app).get("/login").expect(200);
    expect(page.text).toContain('href="/login/forgotten"');
    expect((await request(site.app).get("/login/forgotten").expect(200)).text).toContain("Send the link");
  });

  it("tells nobody whether an address has an account: every answer and every statement is the same", async () => {
    const { email } = await reachable();
    const waiting = await site.createUser();
    await site.db("users").where({ id: waiting.id }).update({ email: "waiting@example.org" });
    const told = [];
    for (const address of [email, "nobody@example.org", "waiting@example.org", email.toUpperCase()]) {
      // Below Knex, because the limits ask the driver itself.
      const queries = vi.spyOn(pg.Client.prototype, "query");
      const answer = await ask(address);
      // Without those of the change feed, which tests read for each request.
      const statements = queries.mock.calls
        .map(([query]) => textOfQuery(query))
        .filter((text) => !String(text).includes("key_changes"));
      queries.mockRestore();
      const { date, "x-request-id": id, ...headers } = answer.headers;
      expect([date, id].every((value) => value !== undefined)).toBe(true);
      const page = await request(site.app).get(String(answer.headers.location));
      told.push({ status: answer.status, text: answer.text, headers, statements, page: page.text });
    }
    expect(told[0]?.status).toBe(303);
    expect(told[0]?.statements).toHaveLength(4);
    for (const other of told.slice(1)) expect(other).toEqual(told[0]);
    expect(textOf(String(told[0]?.page))).toContain("If this address is confirmed for an account");
  });

  it("refuses what is no address, whoever has it", async () => {
    const { email } = await reachable();
    for (const typed of ["", "no address", `${email} x`]) {
      const page = await ask(typed).expect(400);
      expect(page.text).toContain('id="email-error"');
    }
    expect(await mail.jobs()).toEqual([]);
  });

  it("sends a link to an address that was confirmed, and none to any other", async () => {
    const { id, name, email } = await reachable();
    await site.db("users").where({ id }).update({ email: "waits@example.org" });
    for (const address of ["stranger@example.org", "waits@example.org", email])
      await ask(address).expect(303);
    const arrived = await mail.deliver();
    expect(arrived).toMatchObject([
      {
        recipient: email,
        subject: "Reset your password on Almanac",
        links: [expect.stringMatching(/^\/login\/new-password\/[\w-]{43}$/)],
      },
    ]);
    expect(await open(String(arrived[0]?.links[0]), 200)).toContain(`For the account ${name}.`);
  });

  it("sends one mail for all accounts of an address, with a link for each", async () => {
    const address = "family@example.org";
    const family = [await reachable(address), await reachable(address), await reachable(address)];
    await ask(address).expect(303);
    const [arrived, ...others] = await mail.deliver();
    expect(others).toEqual([]);
    expect(arrived?.links).toHaveLength(3);
    for (const [place, { name }] of family.entries()) {
      expect(arrived?.text).toContain(name);
      expect(await open(String(arrived?.links[place]), 200)).toContain(`For the account ${name}.`);
    }
    await choose(String(arrived?.links[1])).expect(303);
    await logIn(String(family[1]?.name), NEW_PASSWORD).expect(303);
    await logIn(String(family[0]?.name), NEW_PASSWORD).expect(401);
  });

  it("sends one mail to the address as the account has it, however often and in whatever case it is typed", async () => {
    await reachable("Mixed.Case@example.org");
    await ask("mixed.case@EXAMPLE.org").expect(303);
    await ask("MIXED.case@example.org").expect(303);
    expect(await mail.jobs()).toHaveLength(1);
    expect((await mail.deliver()).map(({ recipient }) => recipient)).toEqual(["Mixed.Case@example.org"]);
  });

  it("ends after five times an hour for an address, whether it is known or not", async () => {
    const { email } = await reachable();
    for (const address of [email, "unknown-to-all@example.org"]) {
      for (let round = 0; round < 5; round += 1) await ask(address).expect(303);
      const refused = await ask(address.toUpperCase()).expect(429);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_000);
      expect(textOf(refused.text)).toContain("Try again in 60 minutes");
    }
  });

  it("ends after five mails in whatever letters the database takes for the same", async () => {
    const { email } = await reachable("iiii@example.org");
    for (const letters of ["iiii", "İiii", "iİii", "iiİi", "iiiİ", "İİii", "İİİİ"])
      await ask(`${letters}@example.org`);
    const arrived = await mail.deliver();
    expect(arrived.map(({ recipient }) => recipient)).toEqual(Array(5).fill(email));
  });

  it("ends after twenty times an hour from one network, which costs no attempts of an address", async () => {
    const before = await site.db("rate_limits").pluck("key");
    await ask("list@example.org", "192.0.2.7").expect(303);
    const counted = site.db("rate_limits").whereNotIn("key", before).whereLike("key", "password-network:%");
    expect(await counted.update({ points: 20 })).toBe(1);
    for (let round = 0; round < 6; round += 1) await ask("spared@example.org", "192.0.2.7").expect(429);
    await ask("spared@example.org").expect(303);
  });

  it("is nothing that the site can grant where it sends no mail: it says whom to ask", async () => {
    const [get, post] = [await request(silent.app).get("/login/forgotten"), await askSilent()];
    for (const page of [get, post]) {
      expect(page.status).toBe(200);
      expect(textOf(page.text)).toContain("This site doesn’t send e-mail");
      expect(textOf(page.text)).toContain("Ask its operator");
    }
    const { rows } = await silent.db.raw("select 1 from graphile_worker.jobs");
    expect(rows).toEqual([]);
  });

  const silent = useTestApp();
  const askSilent = () =>
    request(silent.app).post("/login/forgotten").type("form").send({ email: "a@example.org" });
});

describe("a link to a new password", () => {
  it("changes it once, by the form and not by being opened, ends every session and leads to the log-in page", async () => {
    const user = await reachable();
    const { agent } = await site.logIn(user);
    const link = await linkFor(user.email);
    for (let round = 0; round < 3; round += 1) await request(site.app).get(link).expect(200);
    await logIn(user.name, user.password).expect(303);
    await choose(link).expect(303).expect("Location", "/login?changed=password");
    const page = await request(site.app).get("/login?changed=password");
    expect(textOf(page.text)).toContain("Your password was changed and you’ve been logged out everywhere.");
    await agent.get("/profile").expect(303);
    expect(await site.db("sessions").where({ user_id: user.id })).toEqual([]);
    await logIn(user.name, user.password).expect(401);
    await logIn(user.name, NEW_PASSWORD).expect(303);
    expect(await open(link, 410)).toContain("This link was already used");
    await choose(link, "a third horse battery").expect(410);
    await logIn(user.name, NEW_PASSWORD).expect(303);
  });

  it("uses up the user's other links, and nobody else's", async () => {
    const [user, other] = [await reachable(), await reachable()];
    const [first, second] = [await linkFor(user.email), await linkFor(user.email)];
    const others = await linkFor(other.email);
    await choose(second).expect(303);
    expect(await open(first, 410)).toContain("This link was already used");
    await choose(first, "a third horse battery").expect(410);
    await logIn(user.name, NEW_PASSWORD).expect(303);
    await choose(others).expect(303);
  });

  it("is won by one of several requests at once, with the same link or with two", async () => {
    const user = await reachable();
    const links = [await linkFor(user.email), await linkFor(user.email)];
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id: user.id }).forUpdate().first();
    const answers = Promise.all([...links, ...links].map((link) => choose(link)));
    await waitForLocks(site.db, 4);
    await transaction.commit();
    expect((await answers).map(({ status }) => status).sort()).toEqual([303, 410, 410, 410]);
    await logIn(user.name, NEW_PASSWORD).expect(303);
  });

  it("works for an hour", async () => {
    const { id, email } = await reachable();
    const link = await linkFor(email);
    const tokens = () => site.db("mail_tokens").where({ user_id: id });
    await tokens().update({ expires_at: site.db.raw("now() + interval '1 minute'") });
    await request(site.app).get(link).expect(200);
    await tokens().update({ expires_at: site.db.raw("now()") });
    expect(await open(link, 410)).toContain("This link has expired");
    await choose(link).expect(410);
  });

  it.each([{ confirmed_email: "next@example.org" }, { confirmed_email: null }])(
    "is over once its address is no longer the account's: %j",
    async (changes) => {
      const { id, name, email, password } = await reachable();
      const link = await linkFor(email);
      await site.db("users").where({ id }).update(changes);
      expect(await open(link, 410)).toContain("only while the account keeps its address");
      await choose(link).expect(410);
      await logIn(name, password).expect(303);
    },
  );

  it("is used up by a change of the password in the profile", async () => {
    const user = await reachable();
    const link = await linkFor(user.email);
    const { agent } = await site.logIn(user);
    const form = { current_password: user.password, new_password: NEW_PASSWORD };
    await agent.post("/profile/password").type("form").send(form).expect(303);
    await choose(link, "a third horse battery").expect(410);
    await logIn(user.name, NEW_PASSWORD).expect(303);
  });

  it("asks as much of a password as every other form, and is not used up by one that is refused", async () => {
    const user = await reachable();
    const link = await linkFor(user.email);
    for (const [password, message] of [
      ["short", "New password must be 8 to 200 characters long."],
      ["", "New password is required."],
      ["Sunshine", "New password is one of the most common passwords and easy to guess."],
      [user.name.toUpperCase(), "New password must not be your account name."],
    ] as const) {
      const page = await choose(link, password).expect(400);
      expect(page.text).toContain(message);
      expect(page.text).toContain(`action="${link}"`);
    }
    await choose(link).expect(303);
  });

  it("is not found if it is made up, nor if it is for confirming an address", async () => {
    for (const token of ["x", "a".repeat(43), "%00"]) {
      await request(site.app).get(`/login/new-password/${token}`).expect(404);
      await choose(`/login/new-password/${token}`).expect(404);
    }
    const { id, email } = await reachable();
    const token_hash = createHash("sha256").update("c").digest();
    const expires_at = new Date(Date.now() + 600_000);
    await site.db("mail_tokens").insert({ token_hash, user_id: id, email, purpose: "confirm", expires_at });
    await choose("/login/new-password/c").expect(404);
  });

  it("stays out of every cache, link, Referer and search engine, also of the page after a mistake", async () => {
    const { email } = await reachable();
    const link = await linkFor(email);
    for (const page of [await request(site.app).get(link), await choose(link, "short")]) {
      expect(page.headers).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "strict-origin",
      });
      const elsewhere = page.text.replace(`action="${link}"`, "");
      expect(elsewhere).not.toContain(tokenOf(link));
      expect(elsewhere).toContain('<meta name="robots" content="noindex">');
      expect(elsewhere).not.toContain("short");
    }
    expect((await choose(link)).headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "strict-origin",
    });
  });

  it("lets its owner log in at once, however many wrong passwords they tried before", async () => {
    const user = await reachable();
    await logIn(user.name, "wrong password").expect(401);
    await site.db("rate_limits").whereLike("key", "login-account:%").update({ points: 10 });
    await logIn(user.name, user.password).expect(429);
    const link = await linkFor(user.email);
    await choose(link).set("X-Forwarded-For", "203.0.113.200").expect(303);
    await logIn(user.name, NEW_PASSWORD).expect(303);
  });
});
