import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { hash } from "@node-rs/argon2";
import { describe, expect, it } from "vitest";
import { checkPassword } from "../../src/accounts/check-password.ts";
import { createAttemptLimits } from "../../src/accounts/limits.ts";
import { PasswordsBusyError, verifyPassword } from "../../src/accounts/passwords.ts";
import { removeExpired } from "../../src/accounts/queries.ts";
import { createDb } from "../../src/db/connect.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp({ trustProxy: true });

let addresses = 0;

function newAddress(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

function attempt(address: string, name: string, password: string) {
  return site.post("/login", { name, password }, { "X-Forwarded-For": address });
}

/** Counts so many wrong passwords: sends one, and writes the others down. */
async function failTimes(count: number, address: string, name: string): Promise<void> {
  const before = await site.db("rate_limits").select("key", "points");
  await attempt(address, name, "wrong password").expect(401);
  const pointsOf = new Map(before.map(({ key, points }) => [key, points]));
  for (const { key, points } of await site.db("rate_limits").select("key", "points")) {
    if (points === pointsOf.get(key)) continue;
    await site
      .db("rate_limits")
      .where({ key })
      .update({ points: points + count - 1 });
  }
}

const keys = () => site.db("rate_limits").pluck<string[]>("key");

/** What is counted for an address by every limit. */
async function countedSince(before: string[]): Promise<number> {
  const rows = await site.db("rate_limits").whereNotIn("key", before).where("points", ">", 0);
  return rows.reduce((sum, { points }) => sum + points, 0);
}

interface Flood {
  stop(): Promise<unknown>;
}

/** Keeps the line of passwords full: who leaves it joins it again at once. */
function startFlood(): Flood {
  let isOver = false;
  const flood = Array.from({ length: 42 }, async () => {
    // Somebody else may have taken the place.
    while (!isOver) await verifyPassword("flood", undefined).catch(() => delay(1));
  });
  return {
    stop: () => {
      isOver = true;
      return Promise.all(flood);
    },
  };
}

async function whileBusy<Result>(work: () => PromiseLike<Result>): Promise<Result> {
  const flood = startFlood();
  try {
    return await work();
  } finally {
    await flood.stop();
  }
}

describe("attempts to log in", () => {
  it.each([
    ["an address of IPv4", "203.0.113.77", (port: number) => `203.0.113.77:${port}`],
    ["one of IPv6", "2001:db8:77::1", (port: number) => `[2001:db8:77::1]:${port}`],
  ])("count for %s whatever port of it a proxy writes beside it", async (_kind, address, withPort) => {
    const { name } = await site.createUser();
    for (const port of [50_001, 50_002]) await failTimes(5, withPort(port), name);
    await attempt(withPort(50_003), name, "wrong password").expect(429);
    await attempt(address, name, "wrong password").expect(429);
  });

  it("end after ten wrong passwords for one account from one address, with the time to wait", async () => {
    const { name, password } = await site.createUser();
    const address = newAddress();
    for (let times = 0; times < 10; times += 1) await failTimes(1, address, name);
    const refused = await attempt(address, name, "wrong password").expect(429);
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect(refused.text).toContain("You can try again in 15 minutes.");
    expect(refused.text).toContain(`value="${name}"`);
    const right = await attempt(address, name, password).expect(429);
    expect(right.headers["set-cookie"]).toBeUndefined();
  });

  it("leave the real user's own address free", async () => {
    const { name, password } = await site.createUser();
    const attacker = newAddress();
    await failTimes(10, attacker, name);
    await attempt(attacker, name, password).expect(429);
    await attempt(newAddress(), name, password).expect(303);
  });

  it("count a name in every spelling as one, and unknown names like known ones", async () => {
    const address = newAddress();
    for (const name of ["GHOST", "ghost ", "Ｇhost"]) await failTimes(3, address, name);
    await failTimes(1, address, "gHOST");
    await attempt(address, "ghost", "wrong password").expect(429);
  });

  it("start from zero after a success", async () => {
    const { name, password } = await site.createUser();
    const address = newAddress();
    await failTimes(9, address, name);
    await attempt(address, name, password).expect(303);
    await failTimes(9, address, name);
    await attempt(address, name, password).expect(303);
  });

  it("cannot pass the limit together", async () => {
    const { name } = await site.createUser();
    const before = await keys();
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => attempt(address, name, "wrong password")),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
    // The four that were refused are not counted: ten for the account, ten for the address.
    expect(await countedSince(before)).toBe(20);
  });

  it("count a whole /64 of IPv6 as one address", async () => {
    const { name } = await site.createUser();
    await failTimes(5, "2001:db8:77:1::1", name);
    await failTimes(5, "2001:db8:77:1:ffff:ffff:ffff:ffff", name);
    await attempt("2001:db8:77:1:abcd::", name, "wrong password").expect(429);
    await attempt("2001:db8:77:2::1", name, "wrong password").expect(401);
  });

  it("are limited by address too, over all accounts; an own account's success wins only its own back", async () => {
    const { name, password } = await site.createUser();
    const address = newAddress();
    await attempt(address, "first of many", "wrong password").expect(401);
    const counted = site.db("rate_limits").where("key", "like", "login-address:%").where({ points: 1 });
    await counted.update({ points: 99 });
    await attempt(address, name, password).expect(303);
    await attempt(address, "second of many", "wrong password").expect(401);
    const refused = await attempt(address, "third of many", "wrong password").expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(59 * 60);
  });

  it("leave short keys without the name that was typed", async () => {
    const secret = "my password typed into the wrong field";
    await attempt(newAddress(), secret.repeat(5), "wrong password").expect(401);
    const rows = await site.db("rate_limits").select("key");
    expect(rows.length).toBeGreaterThan(0);
    for (const { key } of rows) {
      expect(key.length).toBeLessThan(80);
      expect(key).not.toContain("password");
    }
  });
});

describe("what was not tried", () => {
  const PASSWORD = "correct horse";

  it("because too many passwords wait is answered 503 and not counted", async () => {
    const before = await keys();
    const address = newAddress();
    const answers = await whileBusy(() =>
      Promise.all(Array.from({ length: 30 }, (_, index) => attempt(address, `busy ${index}`, PASSWORD))),
    );
    const [busy, ...others] = answers.filter(({ status }) => status === 503);
    expect(busy).toMatchObject({ type: "text/html", headers: { "retry-after": "5" } });
    const tried = answers.length - 1 - others.length;
    // Each that was tried counts for its account and for the address.
    expect(await countedSince(before)).toBe(2 * tried);
  });

  it("because the line filled up after it was counted is taken back, and makes no attempt more", async () => {
    const { name } = await site.createUser();
    const address = newAddress();
    const limits = createAttemptLimits(site.db);
    const before = await keys();
    let flood: Flood | undefined;
    const fillUp: typeof limits = {
      ...limits,
      countLogIn: async (...attempt) => {
        const seconds = await limits.countLogIn(...attempt);
        flood = startFlood();
        return seconds;
      },
    };
    const late = checkPassword(site.db, fillUp, { name, password: PASSWORD, address });
    await expect(late.finally(() => flood?.stop())).rejects.toThrow(PasswordsBusyError);
    expect(await countedSince(before)).toBe(0);
    await limits.takeBackLogIn(name, address);
    await expect.poll(() => attempt(address, name, "wrong password").then(({ status }) => status)).toBe(401);
    await failTimes(9, address, name);
    await attempt(address, name, "wrong password").expect(429);
  });

  it("because the database went away is taken back", async () => {
    const away = createDb({ url: "postgresql://nobody:nothing@127.0.0.1:1/none" });
    const before = await keys();
    const tried = { name: "somebody", password: PASSWORD, address: newAddress() };
    await expect(checkPassword(away, createAttemptLimits(site.db), tried)).rejects.toThrow("ECONNREFUSED");
    await away.destroy();
    expect(await countedSince(before)).toBe(0);
  });

  it("because the address has no attempts left counts for no account", async () => {
    const address = newAddress();
    const before = await keys();
    await attempt(address, "one of them", "wrong password").expect(401);
    const [{ key }] = await site
      .db("rate_limits")
      .whereNotIn("key", before)
      .whereLike("key", "login-address:%");
    await site.db("rate_limits").where({ key }).update({ points: 100 });
    const known = await keys();
    await attempt(address, "another one", "wrong password").expect(429);
    expect(await countedSince(known)).toBe(0);
    expect(await site.db("rate_limits").where({ key }).first()).toMatchObject({ points: 100 });
  });

  it("is no new account either", async () => {
    const before = await keys();
    const address = newAddress();
    const form = { name: "too busy", password: PASSWORD };
    const register = () => site.post("/register", form, { "X-Forwarded-For": address });
    const answers = await whileBusy(() => Promise.all([0, 1, 2].map(register)));
    expect(answers.map(({ status }) => status)).toContain(503);
    const counted = answers.filter(({ status }) => status !== 503).length;
    expect(await countedSince(before)).toBe(counted);
  });

  it("lets the right password in: a hash that cannot be upgraded now is upgraded at the next log-in", async () => {
    const user = await site.createUser();
    const password_hash = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await site.db("users").where({ id: user.id }).update({ password_hash });
    const limits = createAttemptLimits(site.db);
    let flood: Flood | undefined;
    const fillUp: typeof limits = {
      ...limits,
      forgiveLogIn: async (...attempt) => {
        await limits.forgiveLogIn(...attempt);
        flood = startFlood();
      },
    };
    const attempt = { name: user.name, password: PASSWORD, address: newAddress() };
    const checked = checkPassword(site.db, fillUp, attempt).finally(() => flood?.stop());
    expect(await checked).toMatchObject({ outcome: "right", userId: user.id });
    expect(await site.db("users").where({ id: user.id }).first()).toMatchObject({ password_hash });
  });
});

describe("registrations", () => {
  it("are limited by address", async () => {
    const address = newAddress();
    const register = (from: string, name: string) =>
      site.post("/register", { name, password: "correct horse" }, { "X-Forwarded-For": from });
    const before = await keys();
    await register(address, "crowd 0").expect(303);
    await site.db("rate_limits").whereNotIn("key", before).update({ points: 19 });
    await register(address, "crowd 19").expect(303);
    const refused = await register(address, "crowd 20").expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.text).toContain("Too many new accounts from your network.");
    await register(newAddress(), "crowd 20").expect(303);
  });
});

describe("removeExpired", () => {
  it("removes sessions and counters that have expired, tokens a day later, and no others", async () => {
    const { id } = await site.createUser();
    await site.db("sessions").insert([
      { sid: "old", sess: { userId: id }, expire: site.db.raw("now() - interval '1 second'") },
      { sid: "live", sess: { userId: id }, expire: site.db.raw("now() + interval '1 hour'") },
    ]);
    await site.db("rate_limits").insert([
      { key: "old", points: 1, expire: Date.now() - 5_000 },
      { key: "live", points: 1, expire: Date.now() + 60_000 },
    ]);
    // More than one statement takes.
    await site.db.raw(
      "insert into rate_limits (key, points, expire) select 'old ' || n, 1, 1 from generate_series(1, 5100) n",
    );
    const tokens = ["25 hours", "23 hours", "-1 hour"].map((ago, place) => ({
      token_hash: createHash("sha256").update(`${id} ${place}`).digest(),
      ...{ user_id: id, purpose: "confirm", email: "a@example.org" },
      expires_at: site.db.raw("now() - ?::interval", [ago]),
    }));
    await site.db("mail_tokens").insert(tokens);
    expect(await removeExpired(site.db)).toBe(5_103);
    expect(await site.db("mail_tokens").where({ user_id: id })).toHaveLength(2);
    expect(await site.db("sessions").where({ user_id: id }).pluck("sid")).toEqual(["live"]);
    expect(await site.db("rate_limits").whereIn("key", ["old", "live"]).pluck("key")).toEqual(["live"]);
  });
});
