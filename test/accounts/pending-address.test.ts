import request from "supertest";
import { describe, expect, it } from "vitest";
import { issueConfirmation } from "../../src/accounts/address-queries.ts";
import { userCommand } from "../../src/commands/user.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { SENDS_MAIL, useAccountMail } from "../helpers/account-mail.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { textOf } from "../helpers/html.ts";

const site = useTestApp({ ...SENDS_MAIL, trustProxy: true });
const mail = useAccountMail(site);

const NEW_PASSWORD = "another horse battery";
const DROPPED = "The unconfirmed e-mail address was removed; the confirmed one stays.";
let people = 0;

type Owner = TestUser & { agent: Agent; email: string; thief: Agent; evil: string };

/** An account whose password has leaked: its owner is logged in, and so is a thief. */
async function leaked({ confirmed }: { confirmed: boolean }): Promise<Owner> {
  people += 1;
  const [email, evil] = [`owner-${people}@example.org`, `thief-${people}@evil.example`];
  const user = await site.createUser();
  const row = { email, confirmed_email: confirmed ? email : null };
  await site.db("users").where({ id: user.id }).update(row);
  // A change of the address logs everybody else out: the thief does that first.
  const thief = (await site.logIn(user)).agent;
  await thief.post("/profile/email").type("form").send({ email: evil, current_password: user.password });
  return { ...user, email, thief, evil, agent: (await site.logIn(user)).agent };
}

async function deliveredLink(): Promise<string> {
  const [arrived] = await mail.deliver();
  return String(arrived?.links[0]);
}

async function stored(id: number) {
  return site.db("users").where({ id }).first("email", "confirmed_email");
}

function changePassword({ agent, password }: Owner) {
  const form = { current_password: password, new_password: NEW_PASSWORD };
  return agent.post("/profile/password").type("form").send(form);
}

/** Every way to a new password; resolves to the owner's message. */
const WAYS: Record<string, (owner: Owner) => Promise<string>> = {
  "the profile": async (owner) => {
    await changePassword(owner).expect(303);
    return textOf((await owner.agent.get("/profile").expect(200)).text);
  },
  "a mailed link": async ({ email }) => {
    await request(site.app).post("/login/forgotten").type("form").send({ email }).expect(303);
    const mails = await mail.deliver();
    const link = mails.find(({ recipient }) => recipient === email)?.links[0];
    const form = { new_password: NEW_PASSWORD };
    const { headers } = await request(site.app).post(String(link)).type("form").send(form).expect(303);
    expect(headers.location).toBe("/login?changed=password&address=1");
    return textOf((await request(site.app).get(String(headers.location)).expect(200)).text);
  },
  "the command": async ({ name }) => {
    const config = loadConfig({ LOG_LEVEL: "silent" });
    return (await runCommand(userCommand, site.db, ["password", name], { config })).err.join("\n");
  },
};

describe.each(Object.entries(WAYS))("a new password by %s", (_way, setPassword) => {
  it("drops an address that was requested under the old one, and says so", async () => {
    const owner = await leaked({ confirmed: true });
    const link = await deliveredLink();
    expect(await stored(owner.id)).toEqual({ email: owner.evil, confirmed_email: owner.email });
    expect(await setPassword(owner)).toContain(DROPPED);
    const kept = { email: owner.email, confirmed_email: owner.email };
    expect(await stored(owner.id)).toEqual(kept);
    await request(site.app).post(link).expect(303);
    expect(await stored(owner.id)).toEqual(kept);
    const page = await request(site.app).get(link).expect(410);
    expect(textOf(page.text)).toContain(`another address, or none: this link was for ${owner.evil}.`);
    await request(site.app).post("/login/forgotten").type("form").send({ email: owner.evil }).expect(303);
    expect(await mail.deliver()).toEqual([]);
  });
});

describe("a new password of who has no confirmed address", () => {
  it("leaves the address, and ends the links that were mailed to it", async () => {
    const owner = await leaked({ confirmed: false });
    const link = await deliveredLink();
    await changePassword(owner).expect(303);
    expect(textOf((await owner.agent.get("/profile").expect(200)).text)).not.toContain(DROPPED);
    const page = await request(site.app).get(link).expect(410);
    expect(textOf(page.text)).toContain("the password was changed after it was sent");
    await request(site.app).post(link).expect(303);
    expect(await stored(owner.id)).toEqual({ email: owner.evil, confirmed_email: null });
  });

  it("cancels a mail that waits to be sent; a new request sends another one", async () => {
    const owner = await leaked({ confirmed: false });
    await changePassword(owner).expect(303);
    expect(await mail.deliver()).toEqual([]);
    await owner.agent.post("/profile/email/confirmation").expect(303);
    await request(site.app)
      .post(await deliveredLink())
      .expect(303);
    expect(await stored(owner.id)).toEqual({ email: owner.evil, confirmed_email: owner.evil });
  });

  it("ends a link that is being made while the password changes", async () => {
    const owner = await leaked({ confirmed: false });
    const [job] = await mail.jobs();
    const transaction = await openTransaction(site.db);
    const password_changed_at = site.db.raw("clock_timestamp()");
    await transaction("users").where({ id: owner.id }).update({ password_changed_at });
    const issuing = issueConfirmation(site.db, owner.id, job?.payload as { passwordSetAt: string });
    await waitForLocks(site.db, 1);
    await transaction.commit();
    expect(await issuing).toBeUndefined();
  });

  it("lets no other session, which it has ended, have another mail sent", async () => {
    const owner = await leaked({ confirmed: false });
    await mail.deliver();
    const { agent: thief } = await site.logIn(owner);
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id: owner.id }).forUpdate().first("id");
    await transaction("sessions").where({ user_id: owner.id }).delete();
    const asking = thief.post("/profile/email/confirmation").then((answer) => answer);
    await waitForLocks(site.db, 1);
    await transaction.commit();
    expect((await asking).headers.location).toBe("/login?ended=yes");
    expect(await mail.jobs()).toEqual([]);
  });
});
