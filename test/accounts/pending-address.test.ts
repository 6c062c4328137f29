import { Readable } from "node:stream";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { userCommand } from "../../src/commands/user.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { SENDS_MAIL, useAccountMail } from "../helpers/account-mail.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
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
    const told: string[] = [];
    await userCommand.run(["password", name], {
      config: loadConfig({ LOG_LEVEL: "silent" }),
      db: async () => site.db,
      out: () => undefined,
      err: (line) => void told.push(line),
      stdin: Readable.from([]),
      isTerminal: false,
    });
    return told.join("\n");
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
});
