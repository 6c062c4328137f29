import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { Mail, Mailer } from "../../src/notifications/mail/mail.ts";
import { noteReceiverFailure } from "../../src/notifications/webhooks/delivery-queries.ts";
import { webhookMailTasks } from "../../src/notifications/webhooks/mail-tasks.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { textOf } from "../helpers/html.ts";
import { addHook, WEBHOOK_SITE } from "../helpers/webhooks.ts";

const site = useTestApp();
let operator: TestUser & { agent: Agent };

beforeEach(async () => {
  for (const table of ["webhook_events", "webhooks", "users"]) await site.db(table).delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  operator = await site.logIn(await site.createUser({ role: "operator" }));
});

describe("a webhook that was switched off after failures", () => {
  const confirm = (id: number) =>
    site
      .db("users")
      .where({ id })
      .update({ confirmed_email: `user-${id}@example.test`, language: "ru" });

  /** The mails that follow the failure of a webhook. */
  async function mailsAfterFailure(
    columns: Parameters<typeof addHook>[1],
    sendsMail = true,
  ): Promise<Mail[]> {
    const { id } = await addHook(site.db, { name: "Clan", ...columns });
    const failure = { reason: "status 410", holdS: 0, counts: true, isGone: true, sendsMail };
    const hook = { webhook_id: id, user_id: columns?.user_id ?? null };
    expect(await site.db.transaction((transaction) => noteReceiverFailure(transaction, hook, failure))).toBe(
      true,
    );
    const mails: Mail[] = [];
    const mailer: Mailer = { send: async (mail) => `${mails.push(mail)}`, close: async () => undefined };
    const log = pino({ level: "silent" });
    const tasks = webhookMailTasks({ db: site.db, mailer, site: WEBHOOK_SITE, log });
    const { rows } = await site.db.raw(
      "select payload from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id where task.identifier = 'tell_webhook_failed'",
    );
    const attempt = { number: 1, isLast: false, signal: new AbortController().signal };
    for (const { payload } of rows) await tasks.tell_webhook_failed?.(payload, attempt);
    return mails;
  }

  it("is mailed to its user, in their language", async () => {
    const user = await site.createUser();
    await confirm(user.id);
    await confirm(operator.id);
    const [mail, ...more] = await mailsAfterFailure({ user_id: user.id });
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      to: `user-${user.id}@example.test`,
      subject: "Отправка в Clan остановлена",
    });
    expect(mail?.text).toMatch(/https:\/\/almanac\.test\/ru\/notifications\/webhooks\/\d+/);
  });

  it("of the site is mailed to all operators, and appears on their front page", async () => {
    await confirm(operator.id);
    await confirm((await site.createUser({ role: "operator" })).id);
    await confirm((await site.createUser()).id);
    const mails = await mailsAfterFailure({});
    expect(mails).toHaveLength(2);
    expect(mails[0]?.text).toContain("/operator/webhooks/");
    const page = textOf((await operator.agent.get("/en/operator").expect(200)).text);
    expect(page).toContain("One of the site’s webhooks was turned off because it kept failing.");
  });

  it("makes no mail where there is no address, or no mail at all", async () => {
    const user = await site.createUser();
    expect(await mailsAfterFailure({ user_id: user.id })).toEqual([]);
    await confirm(user.id);
    expect(await mailsAfterFailure({ user_id: user.id }, false)).toEqual([]);
  });
});
