import { pino } from "pino";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { retryDead } from "../../src/notifications/deliveries-queries.ts";
import { digestTasks } from "../../src/notifications/email/digest.ts";
import { addDigestJob, removeOldDigests } from "../../src/notifications/email/digest-queries.ts";
import { createDigestSender } from "../../src/notifications/email/digest-sender.ts";
import { nextDigestAt } from "../../src/notifications/email/digest-times.ts";
import type { Mailer } from "../../src/notifications/mail/mail.ts";
import { createMailer } from "../../src/notifications/mail/mailer.ts";
import { MailRefusedError } from "../../src/notifications/mail/smtp.ts";
import { saveSettings } from "../../src/notifications/settings-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader, type Channels, notifyAll } from "../helpers/notify.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();
const log = pino({ level: "silent" });

const SITE = {
  name: "Almanac",
  baseUrl: "http://almanac.test",
  secret: "only tests know this",
  imageHosts: [],
};

/** Somewhere between the hour of the daily mail, 18, and the end of the day, in the zone of the user: UTC+5:45. */
const EVENING = new Date("2026-11-21T13:00:00Z");
const TOMORROW = new Date("2026-11-22T12:15:00Z");
const READER: Channels = { email: "daily", digestHour: 18, timeZone: "Asia/Kathmandu" };

let peer: SmtpPeer;
let mailer: Mailer;
let userId = 0;
let number = 0;

beforeAll(async () => {
  peer = await startSmtpPeer();
  const options = { from: undefined, siteName: "Almanac", baseUrl: "http://almanac.test", log };
  mailer = createMailer({ kind: "smtp", url: peer.url() }, options) ?? expect.unreachable();
});

afterAll(async () => {
  await mailer?.close();
  await peer?.stop();
});

beforeEach(async () => {
  peer.setMood("accepts");
  await site.db("discounts").delete();
  await forgetJobs();
  ({ id: userId } = await addReader(site, READER));
});

/** A discount of a new favorite of the user, told. */
async function tell(columns: Record<string, unknown> = {}, user = userId): Promise<string> {
  number += 1;
  await addDonateItem(site.db, `item-${number}`);
  await site.db("donate_favorites").insert({ user_id: user, item_key: `item-${number}` });
  await addDiscount(site.db, `sale-${number}`, `item-${number}`, columns);
  await notifyAll(site.db);
  return `sale-${number}`;
}

/**
 * One attempt of the job, taken off the queue, at a time of the user's. Resolves to the mails that the server took over
 * meanwhile.
 */
async function run(now = EVENING, sender: Pick<Mailer, "send"> = mailer) {
  const before = peer.mails.length;
  const tasks = digestTasks({
    db: site.db,
    send: createDigestSender(sender, SITE),
    log,
    now: () => now,
  });
  const attempt = { number: 1, isLast: false, signal: new AbortController().signal };
  const taken = await takeJob();
  await tasks.deliver_digest?.({ userId }, attempt);
  await site.db("graphile_worker._private_jobs").whereIn("id", taken).delete();
  return Promise.all(
    peer.mails.slice(before).map(async ({ raw, messageId }) => {
      const { text = "", subject, headers } = await PostalMime.parse(raw);
      return { messageId, subject, items: text.match(/^Shop item-\d+$/gm), text, headers };
    }),
  );
}

const deliveries = () => site.db("deliveries").where({ user_id: userId }).orderBy("id");
const digests = () => site.db("digests").where({ user_id: userId }).orderBy("id");

/** The time of the user's next job, or undefined. */
async function nextRun(): Promise<Date | undefined> {
  const jobs = (await queuedJobs(site.db)).filter(({ key }) => key === `digest:${userId}`);
  expect(jobs.length).toBeLessThan(2);
  return jobs[0]?.run_at;
}

/** As a worker does that begins with it: a job that is added under its key meanwhile is another one. */
async function takeJob(): Promise<string[]> {
  const jobs = await site
    .db("graphile_worker._private_jobs")
    .where({ key: `digest:${userId}` })
    .update({ locked_at: site.db.fn.now(), locked_by: "a worker", attempts: 1 })
    .returning("id");
  return jobs.map(({ id }) => id);
}

/** The discount of a sale begins so many hours from now. */
const putOff = (sale: string, count: number) =>
  site
    .db("discounts")
    .where({ id: sale })
    .update({ starts_at: hours(site.db, count) });

const forgetJobs = () => site.db.raw("delete from graphile_worker._private_jobs");

/** A zone that has this hour of the day. */
function zoneIn(now: Date, hour: number): string {
  const offset = ((hour - now.getUTCHours() + 36) % 24) - 12;
  // The signs of these names are turned round.
  return `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}

describe("a daily mail", () => {
  it("has everything that waits and a link that ends it with one click, and is sent once", async () => {
    await tell();
    await tell({ price: "40.00" });
    const [mail, ...others] = await run();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("2 discounts on your favorites");
    expect(mail?.items).toEqual([`Shop item-${number - 1}`, `Shop item-${number}`]);
    expect(mail?.text).toMatch(/New price: 75\.00\sEUR[\s\S]*New price: 40\.00\sEUR/);
    const [digest] = await digests();
    expect(mail?.messageId).toBe(`<digest-${digest.id}@almanac.test>`);
    expect(digest.sent_at).toEqual(EVENING);
    expect(await deliveries()).toMatchObject([
      { state: "sent", attempts: 1, digest_id: digest.id },
      { state: "sent", attempts: 1, digest_id: digest.id },
    ]);
    const header = (key: string) => mail?.headers.find((line) => line.key === key)?.value;
    expect(header("list-unsubscribe")).toMatch(/^<http:\/\/almanac\.test\/unsubscribe\/[\w-]+>$/);
    expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(await run()).toEqual([]);
  });

  it("names an item once, with the price that it has", async () => {
    await tell({ percent: "10" });
    await addDiscount(site.db, "lower", `item-${number}`, { percent: "30" });
    await notifyAll(site.db);
    const [mail] = await run();
    expect(mail?.subject).toBe("One discount on your favorites");
    expect(mail?.items).toEqual([`Shop item-${number}`]);
    expect(mail?.text).toMatch(/New price: 70\.00\sEUR/);
    expect(await deliveries()).toMatchObject([{ state: "sent" }, { state: "sent" }]);
  });

  it("lists what ends first first, and prices as they are by then", async () => {
    await tell();
    await tell({ ends_at: hours(site.db, 9) });
    await tell({ ends_at: hours(site.db, 5) });
    await site
      .db("discounts")
      .where({ id: `sale-${number}` })
      .update({ percent: "50" });
    const [mail] = await run();
    expect(mail?.items).toEqual([number, number - 1, number - 2].map((id) => `Shop item-${id}`));
    expect(mail?.text).toMatch(/New price: 50\.00\sEUR/);
  });
});

describe("the hour of a daily mail", () => {
  it("is waited for", async () => {
    await tell();
    expect(await run(new Date("2026-11-21T12:14:59Z"))).toEqual([]);
    expect(await nextRun()).toEqual(new Date("2026-11-21T12:15:00Z"));
    expect(await digests()).toEqual([]);
    expect(await run(new Date("2026-11-21T12:15:00Z"))).toHaveLength(1);
  });

  it("that was missed until the next day is waited for again", async () => {
    await tell();
    expect(await run(new Date("2026-11-21T20:00:00Z"))).toEqual([]);
    expect(await nextRun()).toEqual(TOMORROW);
  });

  it("comes once a day: what is new waits for tomorrow", async () => {
    await tell();
    await run();
    await forgetJobs();
    await tell();
    expect(await run(new Date("2026-11-21T18:14:59Z"))).toEqual([]);
    expect(await nextRun()).toEqual(TOMORROW);
    const [mail] = await run(TOMORROW);
    expect(mail?.items).toEqual([`Shop item-${number}`]);
    expect((await digests()).map(({ day }) => String(day))).toHaveLength(2);
  });

  it("comes once a day even if the user has moved to a zone with an earlier day", async () => {
    await site.db("users").where({ id: userId }).update({ time_zone: "Pacific/Kiritimati" });
    await saveSettings(site.db, userId, { digestHour: 1 });
    await tell();
    expect(await run()).toHaveLength(1);
    await tell();
    await site.db("users").where({ id: userId }).update({ time_zone: "America/New_York" });
    expect((await digests()).map(({ day }) => day)).toEqual(["2026-11-22"]);
    expect(await run(new Date("2026-11-21T23:30:00Z"))).toEqual([]);
    expect(await nextRun()).toEqual(new Date("2026-11-22T06:00:00Z"));
  });

  it("comes once a day also where yesterday's was late", async () => {
    await tell();
    peer.setMood("refusesAll");
    await run();
    peer.setMood("accepts");
    expect(await run(new Date("2026-11-21T20:00:00Z"))).toHaveLength(1);
    await tell();
    expect(await run(TOMORROW)).toEqual([]);
    expect(await nextRun()).toEqual(new Date("2026-11-23T12:15:00Z"));
  });
});

describe("a daily mail that fails", () => {
  it("is tried again soon, with the same in it, under the same Message-ID", async () => {
    await tell();
    peer.setMood("refusesAll");
    expect(await run()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "waiting", attempts: 1 }]);
    expect((await deliveries())[0].reason).toMatch(/451/);
    const again = await nextRun();
    expect(again?.getTime()).toBeCloseTo(EVENING.getTime() + Math.E * 1000, -2);
    const [digest] = await digests();

    peer.setMood("accepts");
    await tell();
    // What came meanwhile has not put the attempt off.
    expect(await nextRun()).toEqual(again);
    const [mail, ...others] = await run(new Date(EVENING.getTime() + 3_000));
    expect(others).toEqual([]);
    expect(mail?.messageId).toBe(`<digest-${digest.id}@almanac.test>`);
    expect(mail?.items).toEqual([`Shop item-${number - 1}`]);
    expect(await deliveries()).toMatchObject([
      { state: "sent", attempts: 2, reason: null },
      { state: "waiting" },
    ]);
  });

  it.each([
    ["sent", undefined],
    ["dead", new MailRefusedError("550 5.1.1 No such mailbox")],
  ])(
    "or is %s leaves a job for what came meanwhile, even if that one's own is gone",
    async (state, failure) => {
      await tell();
      const send = async () => {
        await tell();
        await forgetJobs();
        if (failure) throw failure;
        return "250";
      };
      await run(EVENING, { send });
      expect(await nextRun()).toEqual(TOMORROW);
      expect(await deliveries()).toMatchObject([{ state }, { state: "waiting" }]);
    },
  );

  it("is given up where it is refused for good, and the next one is another", async () => {
    await tell();
    peer.setMood("rejectsRecipient");
    await run();
    expect(await deliveries()).toMatchObject([{ state: "dead", attempts: 1 }]);
    expect((await deliveries())[0].reason).toMatch(/550 5\.1\.1/);
    peer.setMood("accepts");
    await tell();
    expect(await run()).toEqual([]);
    const [mail] = await run(TOMORROW);
    expect(mail?.items).toEqual([`Shop item-${number}`]);
  });

  it("goes without what was put off by then, which goes with a later one", async () => {
    const sale = await tell();
    await tell();
    peer.setMood("refusesAll");
    await run();
    await putOff(sale, 1);
    peer.setMood("accepts");
    const [mail] = await run();
    expect(mail?.items).toEqual([`Shop item-${number}`]);
    expect(await nextRun()).toEqual(TOMORROW);
    await putOff(sale, -1);
    const [later] = await run(TOMORROW);
    expect(later?.items).toEqual([`Shop item-${number - 1}`]);
    expect(await deliveries()).toMatchObject([{ state: "sent" }, { state: "sent" }]);
  });

  it("though it had arrived, does not hold back a later one where all of it was put off", async () => {
    peer.setMood("refusesAll");
    const sale = await tell();
    await run();
    await putOff(sale, 24 * 7);
    await tell();
    await run(TOMORROW);
    expect(await deliveries()).toMatchObject([{ digest_id: null }, { attempts: 1 }]);
    peer.setMood("accepts");
    const [mail] = await run(TOMORROW);
    expect(mail?.items).toEqual([`Shop item-${number}`]);
  });
});

describe("what is not worth sending any more", () => {
  it("is dropped, with the reason and without a mail", async () => {
    const sale = await tell();
    await site.db("discounts").where({ id: sale }).delete();
    expect(await run()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "dropped", reason: "the discount was withdrawn" }]);
    expect(await digests()).toEqual([]);
    // The day is left to what is worth it.
    await tell();
    expect(await run()).toHaveLength(1);
  });

  it("is not what waits of somebody who has changed to single mails", async () => {
    await tell();
    await saveSettings(site.db, userId, { email: "each" });
    expect(await run()).toHaveLength(1);
  });

  it("is not a discount that was put off: it waits for its start, but not past the next hour", async () => {
    const now = new Date();
    await saveSettings(site.db, userId, { digestHour: 18 });
    await site
      .db("users")
      .where({ id: userId })
      .update({ time_zone: zoneIn(now, 16) });
    const sale = await tell();
    const startsAt = new Date(now.getTime() + 600_000);
    await site.db("discounts").where({ id: sale }).update({ starts_at: startsAt });
    expect(await run(now)).toEqual([]);
    expect(await nextRun()).toEqual(startsAt);
    expect(await deliveries()).toMatchObject([{ state: "waiting" }]);

    // New notifications keep the time of the waiting job.
    await putOff(sale, 24 * 7);
    expect(await run(now)).toEqual([]);
    const next = nextDigestAt(18, zoneIn(now, 16), now);
    expect(next.getTime() - now.getTime()).toBeLessThan(2 * 3_600_000);
    await tell();
    expect(await nextRun()).toEqual(next);
  });

  it("is nothing of a user who is gone", async () => {
    await tell();
    await site.db("users").where({ id: userId }).delete();
    expect(await run()).toEqual([]);
  });
});

describe("daily mails of long ago", () => {
  const age = (days: number) => site.db("digests").update({ created_at: hours(site.db, -24 * days) });

  it("are forgotten after a month, but for what still waits", async () => {
    await tell();
    await run();
    await age(29);
    await removeOldDigests(site.db);
    expect(await digests()).toHaveLength(1);
    await age(31);
    await removeOldDigests(site.db);
    expect(await digests()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "sent", digest_id: null }]);

    await tell();
    peer.setMood("refusesAll");
    await run();
    await age(31);
    await removeOldDigests(site.db);
    expect(await digests()).toHaveLength(1);
  });
});

describe("two jobs of one user at the same moment", () => {
  it("send one mail, be it new or begun", async () => {
    const before = peer.mails.length;
    await tell();
    await Promise.all([run(), run()]);
    expect(await digests()).toHaveLength(1);
    expect(peer.mails.slice(before)).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ state: "sent" }]);

    await tell();
    peer.setMood("refusesAll");
    await run(TOMORROW);
    peer.setMood("accepts");
    await Promise.all([run(TOMORROW), run(TOMORROW)]);
    expect(peer.mails.slice(before)).toHaveLength(2);
    expect(await deliveries()).toMatchObject([{ state: "sent" }, { state: "sent" }]);
  });

  it("send one mail while the first is on its way, though an operator has another one tried again", async () => {
    await tell();
    peer.setMood("rejectsRecipient");
    await run();
    peer.setMood("accepts");
    await tell();
    let second: unknown[] = [];
    const send: Mailer["send"] = async (mail) => {
      await retryDead(site.db);
      second = await run(TOMORROW);
      return mailer.send(mail);
    };
    expect(await run(TOMORROW, { send })).toHaveLength(1);
    expect(second).toEqual([]);
    expect(await run(TOMORROW)).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: "waiting" }, { state: "sent" }]);
    expect(await run(new Date(TOMORROW.getTime() + 86_400_000))).toHaveLength(1);
  });

  it("wait for an attempt whose process died, for as long as a mail may take", async () => {
    await tell();
    peer.setMood("refusesAll");
    await run();
    peer.setMood("accepts");
    await site.db("digests").where({ user_id: userId }).update({ claimed_at: site.db.fn.now() });
    expect(await run()).toEqual([]);
    const waitS = ((await nextRun())?.getTime() ?? 0) / 1000 - Date.now() / 1000;
    expect(waitS).toBeGreaterThan(60);
    expect(waitS).toBeLessThanOrEqual(90);
    await site
      .db("digests")
      .where({ user_id: userId })
      .update({
        claimed_at: site.db.raw("now() - interval '91 seconds'"),
      });
    expect(await run()).toHaveLength(1);
  });

  it("are one job, due at the sooner time", async () => {
    for (const [at, due] of [
      [TOMORROW, TOMORROW],
      [EVENING, EVENING],
      [TOMORROW, EVENING],
    ] as const) {
      await site.db.transaction((transaction) => addDigestJob(transaction, userId, at));
      expect(await nextRun()).toEqual(due);
    }
  });
});
