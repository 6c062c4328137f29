import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { doctorCommand } from "../../src/commands/doctor.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { migrate } from "../../src/db/migrate.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { findItemsByText, listDiscounts } from "../../src/shop/discount-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { createEmptyDatabase } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { addNotification } from "../helpers/notifications.ts";
import { addDonateItem } from "../helpers/things.ts";

const site = useTestApp();

afterEach(async () => {
  await site.db.raw("delete from graphile_worker._private_jobs");
});

/** Runs `doctor` on this database; resolves to its findings and its exit code. */
async function runDoctor(db = site.db) {
  const config = loadConfig({ DATA_DIR: "/tmp" });
  const { code, out: lines } = await runCommand(doctorCommand, db, [], { config });
  return { code, lines };
}

describe("doctor", () => {
  it("says that a ctype of C only knows letters of ASCII, which searches do not need", async () => {
    expect((await runDoctor()).lines).toContain("ok   the database knows the letters of all languages");
    const { db, drop } = await createEmptyDatabase("locale_provider libc locale 'C' encoding 'UTF8'");
    onTestFinished(drop);
    await migrate(db);
    const { lines, code } = await runDoctor(db);
    expect(lines.join("\n")).toContain(
      "warn the database's ctype C knows upper and lower case in ASCII only",
    );
    expect(code).toBe(0);
    await addItem(db, { id: "box", name: "Ящик Жукова" });
    await addDiscount(db, { id: "d", item_key: "box", percent: "5", title: "Ночь" });
    expect((await listDiscounts(db, { search: "НОЧЬ ящик" })).map(({ id }) => id)).toEqual(["d"]);
    expect((await findItemsByText(db, "ЯЩИК ЖУКОВА")).found?.key).toBe("box");
  });

  it("says that jobs are done in time, where they are", async () => {
    await addJobs(site.db, [{ task: "tell_discount", payload: {} }]);
    const { code, lines } = await runDoctor();
    expect(lines).toContain("ok   jobs are done in time (1 due)");
    expect(lines.join("\n")).not.toMatch(/given up|could not be delivered/);
    expect(code).toBe(0);
  });

  it("warns of jobs that nobody does, of those given up, and of dead deliveries; none of it is a failure", async () => {
    await addJobs(site.db, [
      { task: "tell_discount", payload: {}, runAt: new Date(Date.now() - 600_000) },
      { task: "send_confirmation", payload: {}, maxAttempts: 1, key: "given up" },
    ]);
    await site.db.raw(
      "update graphile_worker._private_jobs set attempts = 1, last_error = 'broken' where key = 'given up'",
    );
    await addDonateItem(site.db, "item");
    const { id: user_id } = await site.createUser();
    const { id: notification_id } = await addNotification(site.db, user_id, "item");
    const dead = { notification_id, user_id, channel: "email", state: "dead", settled_at: site.db.fn.now() };
    await site.db("deliveries").insert(dead);
    const { code, lines } = await runDoctor();
    expect(lines).toContain("warn 1 job due, the oldest for 10 min: run serve with WORKER=1, or worker");
    expect(lines).toContain("warn 1 job given up within a week: the log says why");
    expect(lines).toContain("warn 1 notification not delivered: /operator/deliveries");
    expect(code).toBe(0);
  });
});
