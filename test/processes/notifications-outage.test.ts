import { expect, it, onTestFinished } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { notifyOfDiscount } from "../../src/notifications/notify.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader } from "../helpers/notify.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";
import { startWorker, type WorkerProcess } from "../helpers/worker.ts";

const site = useTestApp();

const urlOfDatabase = () => site.db.client.connectionSettings.connectionString as string;

it("has a worker go on after an hour of outage, notify in time, and end with the mail server down", async () => {
  const smtp = await startSmtpPeer();
  onTestFinished(() => smtp.stop());
  const worker = await goesOnAfterAnHour(smtp);
  await notifiesWithinThirtySeconds(worker);
  await losesNoMailAtItsEnd(worker, smtp);
});

/** Discounts that began in the hour and run are notified and mailed at once; others are not. */
async function goesOnAfterAnHour(smtp: SmtpPeer): Promise<WorkerProcess> {
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
  return worker;
}

/** The start of a discount is notified within half a minute. */
async function notifiesWithinThirtySeconds(worker: WorkerProcess): Promise<void> {
  await addDonateItem(site.db, "soon");
  const reader = await addReader(site);
  await toggleFavorite(site.db, reader.id, "donate", "soon");
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
}

/** A mail server that is down keeps it for a few seconds at most. */
async function losesNoMailAtItsEnd(worker: WorkerProcess, smtp: SmtpPeer): Promise<void> {
  await addDonateItem(site.db, "stalled");
  const reader = await addReader(site, { email: "each" });
  await toggleFavorite(site.db, reader.id, "donate", "stalled");
  smtp.setMood("stalls");
  const before = smtp.attempts;
  await addDiscount(site.db, "stalled", "stalled");
  await expect.poll(() => smtp.attempts, { timeout: 33_000 }).toBeGreaterThan(before);
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
}
