import { pino } from "pino";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allTasks } from "../../src/commands/jobs/background.ts";
import type { Mailer } from "../../src/notifications/mail/mail.ts";
import { createMailer } from "../../src/notifications/mail/mailer.ts";
import { addNotifyJobs } from "../../src/notifications/notify.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { queuedJobs, runJobs } from "../helpers/jobs.ts";
import { addReader } from "../helpers/notify.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const site = useTestApp();
const log = pino({ level: "silent" });

let peer: SmtpPeer;
let mailer: Mailer | undefined;

beforeEach(async () => {
  peer = await startSmtpPeer();
  const options = { from: undefined, siteName: "Almanac", baseUrl: TEST_CONFIG.baseUrl, log };
  mailer = createMailer({ kind: "smtp", url: peer.url() }, options);
});

afterEach(async () => {
  await mailer?.close();
  await peer.stop();
});

function work(sender = mailer) {
  return runJobs(site.db, tasksWith(sender));
}

function tasksWith(sender: Mailer | undefined) {
  const config = { ...TEST_CONFIG, mailFrom: undefined };
  return allTasks({ db: site.db, log, config, mailer: sender });
}

async function addFavorite(userId: number, item: string): Promise<void> {
  await site.db("donate_favorites").insert({ user_id: userId, item_key: item });
}

const states = (userId: number) =>
  site.db("deliveries").where({ user_id: userId }).orderBy("id").pluck("state");

describe("a discount, from its start to the mail, by the real queue and a real mail server", () => {
  it("comes as one mail, though the server greylists, in the user's language", async () => {
    await addDonateItem(site.db, "rifle", { names: { ru: "Винтовка" } });
    const { id, name } = await addReader(site, { email: "each", timeZone: "Europe/Moscow" });
    await site.db("users").where({ id }).update({ language: "ru" });
    const silent = await addReader(site, { email: "off" });
    const unconfirmed = await addReader(site, { email: "each", address: null });
    for (const user of [id, silent.id, unconfirmed.id]) await addFavorite(user, "rifle");
    await addDiscount(site.db, "sale", "rifle");
    peer.setMood("greylists");
    work();
    await addNotifyJobs(site.db);
    await expect.poll(() => states(id)).toEqual(["sent"]);
    expect(peer.mails).toMatchObject([{ to: [`${name}@example.test`] }]);
    expect(peer.attempts).toBe(2);
    const mail = await PostalMime.parse(peer.mails[0]?.raw ?? "");
    expect(mail.subject).toMatch(/^Винтовка: теперь 75,00\sEUR вместо 100,00\sEUR$/);
    expect(await states(silent.id)).toEqual([]);
    expect(await states(unconfirmed.id)).toEqual([]);
  });

  it("comes in the daily mail, at the user's hour", async () => {
    const { id } = await addReader(site, { email: "daily", digestHour: 0 });
    for (const item of ["pistol", "knife"]) {
      await addDonateItem(site.db, item);
      await addFavorite(id, item);
      await addDiscount(site.db, `${item}-sale`, item);
    }
    const jobs = work();
    await addNotifyJobs(site.db);
    await expect.poll(() => states(id)).toEqual(["waiting", "waiting"]);
    expect(peer.mails).toEqual([]);
    await jobs.stop();
    const due = await site
      .db("graphile_worker._private_jobs")
      .where({ key: `digest:${id}` })
      .returning("run_at")
      .update({ run_at: site.db.fn.now() });
    expect(due).toHaveLength(1);
    work();
    await expect.poll(() => states(id)).toEqual(["sent", "sent"]);
    expect(peer.mails).toHaveLength(1);
    const mail = await PostalMime.parse(peer.mails[0]?.raw ?? "");
    expect(mail.subject).toBe("2 discounts on your favorites");
  });
});

describe("a process that sends no mail", () => {
  it("tells, and leaves the mails and their attempts to those that send", async () => {
    expect(Object.keys(tasksWith(undefined)).sort()).toEqual([
      "deliver_by_push",
      "deliver_by_webhook",
      "fetch_source",
      "import_upload",
      "tell_crossing",
      "tell_discount",
    ]);
    const { id } = await addReader(site, { email: "each" });
    await addDonateItem(site.db, "shield");
    await addFavorite(id, "shield");
    await addDiscount(site.db, "shield-sale", "shield");
    const jobs = runJobs(site.db, tasksWith(undefined));
    await addNotifyJobs(site.db);
    await expect.poll(() => states(id)).toEqual(["waiting"]);
    // It goes on with what comes after the mail.
    await addDonateItem(site.db, "helmet");
    await addFavorite(id, "helmet");
    await addDiscount(site.db, "helmet-sale", "helmet");
    await addNotifyJobs(site.db);
    await expect.poll(() => states(id)).toEqual(["waiting", "waiting"]);
    await jobs.stop();
    const mails = (await queuedJobs(site.db)).filter(({ key }) => key?.startsWith("delivery:"));
    expect(mails).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
    work();
    await expect.poll(() => states(id)).toEqual(["sent", "sent"]);
  });
});
