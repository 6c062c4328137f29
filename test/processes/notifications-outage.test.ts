import { describe, expect, it, onTestFinished } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { notifyOfDiscount } from "../../src/notifications/notify.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader } from "../helpers/notify.ts";
import { startSmtpPeer } from "../helpers/peers/smtp.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";
import { startWorker } from "../helpers/worker.ts";

const site = useTestApp();

async function startMailServer() {
  const smtp = await startSmtpPeer();
  onTestFinished(() => smtp.stop());
  return smtp;
}

const urlOfDatabase = () => site.db.client.connectionSettings.connectionString as string;

describe("after an hour when everything was down", () => {
  it("discounts that began in it and run are notified and mailed at once; others are not", async () => {
    for (const id of ["runs", "ended", "told before"])
      await addDonateItem(site.db, id, { name: `Item that ${id}` });
    const reader = await addReader(site, { email: "each" });
    for (const id of ["runs", "ended", "told before"]) await toggleFavorite(site.db, reader.id, "donate", id);
    // Notified before the hour, with a mail that was waiting when everything went down.
    await addDiscount(site.db, "told before", "told before", { starts_at: hours(site.db, -3) });
    expect(await notifyOfDiscount(site.db, "told before")).toBe(1);
    await site
      .db("discounts")
      .where({ id: "told before" })
      .update({ ends_at: site.db.raw("now() - interval '5 minutes'") });
    // What an operator had planned for the hour.
    const half = site.db.raw("now() - interval '30 minutes'");
    await addDiscount(site.db, "runs", "runs", { starts_at: half, ends_at: hours(site.db, 1) });
    await addDiscount(site.db, "ended", "ended", {
      starts_at: half,
      ends_at: site.db.raw("now() - interval '1 second'"),
    });

    const smtp = await startMailServer();
    const worker = startWorker({
      DATABASE_URL: urlOfDatabase(),
      SMTP_URL: smtp.url(),
      BASE_URL: "https://almanac.test",
    });
    const settled = () => site.db("deliveries").whereNot({ state: "waiting" }).orderBy("id");
    await expect.poll(settled).toHaveLength(2);
    expect(await settled()).toMatchObject([
      { state: "dropped", reason: "the discount is over", attempts: 0 },
      { state: "sent", attempts: 1 },
    ]);
    const notifications = await site
      .db("notifications")
      .where({ user_id: reader.id })
      .orderBy("id")
      .pluck("discount_id");
    expect(notifications).toEqual(["told before", "runs"]);
    expect(smtp.mails.map(({ to }) => to)).toEqual([[`${reader.name}@example.test`]]);
    expect(smtp.mails[0]?.raw).toContain("Item that runs");
    worker.child.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
  });
});

describe("a discount that begins while a worker runs", () => {
  it("notifies within thirty seconds", async () => {
    await addDonateItem(site.db, "soon");
    const reader = await addReader(site);
    await toggleFavorite(site.db, reader.id, "donate", "soon");
    const worker = startWorker({ DATABASE_URL: urlOfDatabase() });
    await expect.poll(() => worker.lines.join("\n")).toContain("Working");
    const starts_at = site.db.raw("now() + interval '3 seconds'");
    await addDiscount(site.db, "soon", "soon", { starts_at });
    const told = () => site.db("notifications").where({ user_id: reader.id });
    await expect.poll(told, { timeout: 33_000, interval: 100 }).toHaveLength(1);
    const { rows } = await site.db.raw(
      `select extract(epoch from notification.created_at - discount.starts_at)::float as late
         from notifications notification join discounts discount on discount.id = notification.discount_id
        where notification.user_id = ?`,
      [reader.id],
    );
    expect(rows[0].late).toBeGreaterThanOrEqual(0);
    expect(rows[0].late).toBeLessThan(30);
  });
});

describe("a mail server that is down", () => {
  it("while the worker ends keeps it for a few seconds at most, and loses no mail", async () => {
    await addDonateItem(site.db, "stalled");
    const reader = await addReader(site, { email: "each" });
    await toggleFavorite(site.db, reader.id, "donate", "stalled");
    await addDiscount(site.db, "stalled", "stalled");
    const smtp = await startMailServer();
    smtp.setMood("stalls");
    const worker = startWorker({ DATABASE_URL: urlOfDatabase(), SMTP_URL: smtp.url() });
    await expect.poll(() => smtp.attempts).toBeGreaterThan(0);
    const begun = performance.now();
    worker.child.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
    // The mail server would be waited for three times as long.
    expect(performance.now() - begun).toBeLessThan(25_000);
    const delivery = () => site.db("deliveries").where({ user_id: reader.id }).first();
    expect(await delivery()).toMatchObject({ state: "waiting", attempts: 1 });
    const [job] = await queuedJobs(site.db);
    expect(job?.locked_by).toBeNull();
    smtp.setMood("accepts");
    startWorker({ DATABASE_URL: urlOfDatabase(), SMTP_URL: smtp.url() });
    await expect.poll(async () => (await delivery()).state, { interval: 100 }).toBe("sent");
    expect(smtp.mails.filter(({ to }) => to[0] === `${reader.name}@example.test`)).toHaveLength(1);
  });
});
