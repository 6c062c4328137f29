import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { Mail, Mailer } from "../../src/notifications/mail/mail.ts";
import { findDue, noteFailure } from "../../src/notifications/webhooks/deliveries-queries.ts";
import { webhookMailTasks } from "../../src/notifications/webhooks/mail-tasks.ts";
import { sendTest } from "../../src/notifications/webhooks/queries.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addHook, WEBHOOK_SITE } from "../helpers/webhooks.ts";

const site = useTestApp();
const PAGE = "/operator/deliveries";

let operator: TestUser & { agent: Agent };

beforeEach(async () => {
  for (const table of ["webhook_events", "webhooks", "users"]) await site.db(table).delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  operator = await site.logIn(await site.createUser({ role: "operator" }));
});

async function addDead(columns: Parameters<typeof addHook>[1] = {}) {
  const { id } = await addHook(site.db, columns);
  const delivery = (await sendTest(site.db, columns.user_id ?? null, id)) as number;
  const dead = { state: "dead", attempts: 16, reason: "status 500", settled_at: site.db.fn.now() };
  await site.db("webhook_deliveries").where({ id: delivery }).update(dead);
  await site.db.raw("delete from graphile_worker._private_jobs");
  return { id, delivery };
}

const send = (form: object) => operator.agent.post(PAGE).type("form").send(form);
const stateOf = async (id: number) =>
  await site.db("webhook_deliveries").where({ id }).first("state", "attempts");

describe("the operators' page of deliveries", () => {
  it("counts messages by where they go, and lists those that were given up", async () => {
    const user = await site.createUser({ name: "Carl" });
    await addDead({ name: "Own server" });
    await addDead({ name: "Clan", user_id: user.id, format: "discord" });
    const { text } = await operator.agent.get(PAGE).expect(200);
    expect(elements(text, "table").map(textOf)).toEqual([
      "Status Discord Webhooks Waiting 0 0 Sent 0 0 Dropped 0 0 Failed 1 1",
    ]);
    const shown = textOf(mainOf(text));
    expect(shown).toContain(
      "Test to Own server of the site The server answered with status 500. 16 attempts",
    );
    expect(shown).toContain("Test to Clan of Carl");
    expect(textOf((await operator.agent.get("/operator").expect(200)).text)).toContain(
      "2 notifications couldn’t be delivered.",
    );
  });

  it("tries one again, or all, or discards one", async () => {
    const { delivery } = await addDead();
    const other = await addDead();
    // Without saying of what: that is the id of a notification.
    await send({ action: "retry", id: delivery }).expect(404);
    await send({ action: "retry", id: delivery, of: "others" }).expect(303);
    expect(await stateOf(delivery)).toEqual({ state: "waiting", attempts: 0 });
    expect((await queuedJobs(site.db)).map(({ key }) => key)).toEqual([`webhook:${delivery}`]);
    await send({ action: "discard", id: other.delivery, of: "others" }).expect(303);
    expect(await stateOf(other.delivery)).toEqual({ state: "dropped", attempts: 16 });
    const third = await addDead();
    await send({ action: "retry-all" }).expect(303);
    expect(await stateOf(third.delivery)).toEqual({ state: "waiting", attempts: 0 });
  });
});

describe("a webhook that was switched off after failures", () => {
  const gone = { reason: "status 410", retryS: undefined, holdS: 0, isGone: true };
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
    const delivery = (await sendTest(site.db, columns?.user_id ?? null, id)) as number;
    const due = await findDue(site.db, delivery);
    if (!due) throw new Error("there is no delivery");
    expect(await noteFailure(site.db, due, { ...gone, sendsMail })).toBe(true);
    const mails: Mail[] = [];
    const mailer: Mailer = { send: async (mail) => void mails.push(mail), close: async () => undefined };
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
