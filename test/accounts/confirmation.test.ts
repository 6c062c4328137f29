import { createHash } from "node:crypto";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { changeEmail, confirmEmail } from "../../src/accounts/address-queries.ts";
import { SENDS_MAIL, tokenOf, useAccountMail } from "../helpers/account-mail.ts";
import { type Agent, PASSWORD, useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { textOf } from "../helpers/html.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";

const site = useTestApp({ ...SENDS_MAIL, trustProxy: true });
const mail = useAccountMail(site);

let people = 0;

/** Somebody who registers with an address and does not open the mail. */
async function register(headers: Record<string, string> = {}) {
  people += 1;
  const [name, email] = [`Newcomer ${people}`, `new-${people}@example.org`];
  await site.post("/register", { name, password: PASSWORD, email }, headers).expect(303);
  const { id } = await site.db("users").where({ name }).first("id");
  return { id: Number(id), name, email };
}

/** Somebody whose address waits for its mail. */
async function newcomer() {
  people += 1;
  const email = `new-${people}@example.org`;
  const person = await site.logIn();
  await changeEmail(site.db, person.id, email, { sendsMail: true });
  return { ...person, email };
}

/** The same with the link that came by mail. */
async function mailed() {
  const person = await newcomer();
  const [arrived] = await mail.deliver();
  return { ...person, link: String(arrived?.links[0]) };
}

async function confirmed() {
  const person = await mailed();
  await request(site.app).post(person.link).expect(303);
  return person;
}

async function stored(id: number) {
  return site.db("users").where({ id }).first("email", "confirmed_email");
}

function change(agent: Agent, email: string, current_password = PASSWORD) {
  return agent.post("/profile/email").type("form").send({ email, current_password });
}

async function open(link: string, status: number): Promise<string> {
  const page = await request(site.app).get(link).expect(status);
  return textOf(page.text);
}

describe("an address at the registration", () => {
  it("is sent a link, and confirmed by a button on its page alone", async () => {
    const { id, name, email } = await register();
    expect(await stored(id)).toEqual({ email, confirmed_email: null });
    const [arrived, ...others] = await mail.deliver();
    expect(others).toEqual([]);
    expect(arrived).toMatchObject({
      recipient: email,
      subject: "Confirm your e-mail address for Almanac",
      links: [expect.stringMatching(/^\/confirm-email\/[\w-]{43}$/)],
    });
    const link = String(arrived?.links[0]);
    // A scanner of mails opens links, several times and without cookies.
    for (let round = 0; round < 2; round += 1) {
      expect(await open(link, 200)).toContain(
        `Is ${email} your address, and ${name} your account on Almanac?`,
      );
    }
    expect((await stored(id)).confirmed_email).toBeNull();
    await request(site.app).post(link).expect(303).expect("Location", link);
    expect((await stored(id)).confirmed_email).toBe(email);
    expect(await open(link, 200)).toContain(`${email} is now the confirmed address of ${name}.`);
  });

  it("is nothing that a job or the database tells: a token is made when its mail is sent, and hashed", async () => {
    const { id } = await register();
    const payload = { userId: id, passwordSetAt: expect.any(String) };
    expect(await mail.jobs()).toEqual([{ task: "send_confirmation", payload, attempts: 0 }]);
    expect(await site.db("mail_tokens").where({ user_id: id })).toEqual([]);
    const [arrived] = await mail.deliver();
    const token = tokenOf(arrived?.links[0]);
    const [row] = await site.db("mail_tokens").where({ user_id: id });
    expect(row.token_hash).toEqual(createHash("sha256").update(token).digest());
    expect(row.expires_at - row.created_at).toBe(3_600_000);
    expect(JSON.stringify(row)).not.toContain(token);
    expect(await mail.jobs()).toEqual([]);
  });

  it("is written to in the language that the browser asks for", async () => {
    await register({ "Accept-Language": "ru-RU,ru;q=0.9,en;q=0.8" });
    const [arrived] = await mail.deliver();
    expect(arrived?.subject).toBe("Подтвердите адрес почты для Almanac");
  });

  it("gets a mail or there is no account: both are stored at once", async () => {
    await refuseWrites(site.db, "insert on graphile_worker._private_jobs", "P0001");
    const form = { name: "Half Made", password: PASSWORD, email: "half@example.org" };
    await site.post("/register", form).expect(500);
    expect(await site.db("users").where({ name: "Half Made" })).toEqual([]);
  });

  it("of somebody who gives none adds no job", async () => {
    const form = { name: "Without Address", password: PASSWORD };
    await site.post("/register", form).expect(303);
    expect(await mail.jobs()).toEqual([]);
  });
});

describe("a link that confirms", () => {
  it("works once", async () => {
    const { id, email, link, agent } = await mailed();
    await request(site.app).post(link).expect(303);
    await change(agent, "").expect(303);
    await change(agent, email).expect(303);
    expect(await open(link, 410)).toContain("This link was already used, or the password");
    await request(site.app).post(link).expect(303);
    expect((await stored(id)).confirmed_email).toBeNull();
  });

  it("works for an hour", async () => {
    const { id, link } = await mailed();
    const age = (by: string) =>
      site
        .db("mail_tokens")
        .where({ user_id: id })
        .update({ expires_at: site.db.raw(`created_at + interval '1 hour' - interval '${by}'`) });
    await age("59 minutes 50 seconds");
    expect(await open(link, 200)).toContain("Confirm address");
    await age("1 hour");
    expect(await open(link, 410)).toContain("This link has expired: links work for an hour.");
    await request(site.app).post(link).expect(303);
    expect((await stored(id)).confirmed_email).toBeNull();
  });

  it("is of no use once the account has another address", async () => {
    const { id, email, link, agent } = await mailed();
    await change(agent, "other@example.org").expect(303);
    expect(await open(link, 410)).toContain(
      `The account now has another address, or none: this link was for ${email}.`,
    );
    await request(site.app).post(link).expect(303);
    expect(await stored(id)).toEqual({ email: "other@example.org", confirmed_email: null });
  });

  it("is not found if it is made up, nor if it is for a new password", async () => {
    const { id } = await newcomer();
    for (const token of ["x", "a".repeat(43), "%00", "%ff", "..%2f..", "é".repeat(500)]) {
      const page = await request(site.app).get(`/confirm-email/${token}`);
      expect(page.status, token).toBe(token === "%ff" ? 400 : 404);
    }
    const token = "r".repeat(43);
    const token_hash = createHash("sha256").update(token).digest();
    const row = { token_hash, user_id: id, email: `new-${people}@example.org` };
    await site.db("mail_tokens").insert({ ...row, purpose: "reset", expires_at: new Date(Date.now() + 6e5) });
    const text = await open(`/confirm-email/${token}`, 404);
    expect(text).toContain("We don’t recognize this link.");
    expect(text).toContain("log in, open your profile and press “Send the e-mail again”");
    await request(site.app).post(`/confirm-email/${token}`).expect(303);
    expect((await stored(id)).confirmed_email).toBeNull();
  });

  it("stays out of every cache, link, Referer and search engine", async () => {
    const { link } = await mailed();
    for (const path of [link, `${link}x`]) {
      const page = await request(site.app).get(path);
      expect(page.headers).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "strict-origin",
      });
      expect(page.headers["set-cookie"]).toBeUndefined();
      const elsewhere = page.text.replace(`action="${link}"`, "");
      expect(elsewhere).not.toContain(tokenOf(link));
      expect(elsewhere).toContain('<meta name="robots" content="noindex">');
    }
  });

  it("goes on working when its mail had to be sent again", async () => {
    mail.smtp.setMood("dropsAccepted");
    const { id } = await newcomer();
    const [first] = await mail.deliver();
    expect(await mail.jobs()).toMatchObject([{ attempts: 1 }]);
    mail.smtp.setMood("accepts");
    await site.db.raw("update graphile_worker._private_jobs set run_at = now()");
    const [second] = await mail.deliver();
    expect(second?.links[0]).not.toBe(first?.links[0]);
    expect(await mail.jobs()).toEqual([]);
    await request(site.app).post(String(first?.links[0])).expect(303);
    expect((await stored(id)).confirmed_email).not.toBeNull();
  });

  it("is tried no more where the server refuses the address for good", async () => {
    mail.smtp.setMood("rejectsRecipient");
    await newcomer();
    expect(await mail.deliver()).toEqual([]);
    expect(await mail.jobs()).toEqual([]);
  });

  it("is not sent for an address that was confirmed, removed or whose user is gone by then", async () => {
    const [one, two, three] = [await newcomer(), await newcomer(), await newcomer()];
    await site.db("users").where({ id: one.id }).update({ confirmed_email: one.email });
    await site.db("users").where({ id: two.id }).update({ email: null });
    await site.db("users").where({ id: three.id }).delete();
    expect(await mail.deliver()).toEqual([]);
  });
});

describe("a new address", () => {
  it("replaces the confirmed one once it is confirmed, and the old one gets a mail", async () => {
    const { id, name, email, agent } = await confirmed();
    await change(agent, "next@example.org").expect(303);
    expect(await stored(id)).toEqual({ email: "next@example.org", confirmed_email: email });
    const profile = textOf((await agent.get("/profile")).text);
    expect(profile).toContain("next@example.org isn’t confirmed yet");
    expect(profile).toContain(`Until then, e-mail goes to ${email}.`);
    const [arrived] = await mail.deliver();
    expect(arrived?.recipient).toBe("next@example.org");
    await request(site.app).post(String(arrived?.links[0])).expect(303);
    expect((await stored(id)).confirmed_email).toBe("next@example.org");
    const [told, ...others] = await mail.deliver();
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      recipient: email,
      subject: "This address is no longer used by Almanac",
      links: ["/profile"],
    });
    expect(told?.text).toContain(name);
    expect(told?.text).not.toContain("next@example.org");
  });

  it("that is the confirmed one needs no mail", async () => {
    const { id, email, agent } = await confirmed();
    await change(agent, "next@example.org").expect(303);
    await change(agent, email).expect(303);
    expect(textOf((await agent.get("/profile")).text)).toContain("you confirmed it before.");
    expect(await stored(id)).toEqual({ email, confirmed_email: email });
    expect(await mail.deliver()).toEqual([]);
  });

  it("removes the confirmed one as well, which gets a mail", async () => {
    const { id, email, agent } = await confirmed();
    await change(agent, "").expect(303);
    expect(await stored(id)).toEqual({ email: null, confirmed_email: null });
    expect((await mail.deliver()).map(({ recipient }) => recipient)).toEqual([email]);
  });

  it("that is the old one changes nothing and sends nothing", async () => {
    const { email, agent } = await mailed();
    await change(agent, email).expect(303);
    expect(await mail.jobs()).toEqual([]);
  });

  it("needs the current password: it can open the account from now on", async () => {
    const { id, email, agent } = await mailed();
    const wrong = await change(agent, "thief@example.org", "wrong password").expect(400);
    expect(wrong.text).toContain("Current password is wrong.");
    expect(wrong.text).toContain('value="thief@example.org"');
    await agent.post("/profile/email").type("form").send({ email: "thief@example.org" }).expect(400);
    await change(agent, "", "wrong password").expect(400);
    expect((await stored(id)).email).toBe(email);
    expect(await mail.jobs()).toEqual([]);
  });

  it("is not confirmed if it was typed while an older one was being confirmed", async () => {
    const { id, email, link } = await mailed();
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id }).update({ email: "later@example.org" });
    const confirming = confirmEmail(site.db, tokenOf(link), { sendsMail: true });
    await waitForLocks(site.db, 1);
    await transaction.commit();
    await confirming;
    expect(await stored(id)).toEqual({ email: "later@example.org", confirmed_email: null });
    expect(await open(link, 410)).toContain(`this link was for ${email}.`);
  });

  it("sends one notice if several links are opened at once", async () => {
    const { id, email, agent } = await confirmed();
    await change(agent, "many@example.org").expect(303);
    const links = [await mail.deliver()];
    for (let round = 0; round < 2; round += 1) {
      await agent.post("/profile/email/confirmation").expect(303);
      links.push(await mail.deliver());
    }
    const tokens = links.flat().map((arrived) => tokenOf(arrived.links[0]));
    expect(new Set(tokens).size).toBe(3);
    await Promise.all(
      [...tokens, ...tokens].map((token) => confirmEmail(site.db, token, { sendsMail: true })),
    );
    expect((await stored(id)).confirmed_email).toBe("many@example.org");
    expect(await mail.jobs()).toMatchObject([{ task: "tell_replaced_address", payload: { email } }]);
  });
});

describe("the profile", () => {
  it("shows whether the address is confirmed, waiting or missing", async () => {
    const { link, email, agent } = await mailed();
    const shown = async () => textOf((await agent.get("/profile")).text);
    expect(await shown()).toContain(`E-mail ${email} not confirmed yet`);
    await request(site.app).post(link).expect(303);
    expect(await shown()).toContain(`E-mail ${email} confirmed`);
    expect(await shown()).not.toContain("Send the e-mail again");
    await change(agent, "").expect(303);
    expect(await shown()).toContain("E-mail none");
  });

  it("sends the mail again, five times an hour, as one mail where the queue was not at it yet", async () => {
    const { email, agent } = await mailed();
    const again = () => agent.post("/profile/email/confirmation");
    for (let round = 0; round < 5; round += 1) await again().expect(303);
    expect(await mail.jobs()).toHaveLength(1);
    expect((await mail.deliver()).map(({ recipient }) => recipient)).toEqual([email]);
    const refused = await again().expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(textOf(refused.text)).toContain("E-mail was sent too many messages; try again in 60 minutes.");
    expect(await mail.jobs()).toEqual([]);
  });

  it("sends five mails an hour to addresses of a user's choice, and five to an address of everybody's", async () => {
    const { id, agent } = await mailed();
    for (let round = 0; round < 5; round += 1) await change(agent, `victim-${round}@example.org`).expect(303);
    await change(agent, "victim-5@example.org").expect(429);
    expect((await stored(id)).email).toBe("victim-4@example.org");
    for (let round = 0; round < 5; round += 1) {
      const other = await newcomer();
      await change(other.agent, "one-victim@example.org").expect(303);
    }
    const sixth = await newcomer();
    await change(sixth.agent, "ONE-victim@example.org").expect(429);
    const [local, domain] = ["one-victim", "example.org"];
    const spellings = [`<${local}@${domain}>`, `${local}@${domain}>>`, `${local}@\uff45xample.org`];
    spellings.push(`${local}@ex\uff21mple.org`, `${local}@${domain}.`);
    for (const spelling of spellings) await change(sixth.agent, spelling).expect(400);
    await change(sixth.agent, `${local}@exam\u00adple.ORG`).expect(429);
    const form = { name: "Seventh", password: PASSWORD, email: "one-victim@example.org" };
    const refused = await site.post("/register", form).expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(await site.db("users").where({ name: "Seventh" })).toEqual([]);
  });

  it("stores an address in one spelling, which finds the account for a forgotten password", async () => {
    const { id, agent } = await newcomer();
    await mail.deliver();
    await change(agent, "Reader@spelling\u3002EXAMPLE").expect(303);
    const [arrived] = await mail.deliver();
    await request(site.app).post(String(arrived?.links[0])).expect(303);
    expect(await stored(id)).toEqual({
      email: "Reader@spelling.example",
      confirmed_email: "Reader@spelling.example",
    });
    const form = { email: "reader@SPELLING.exam\u00adple" };
    await site.post("/login/forgotten", form).expect(303);
    expect((await mail.deliver()).map(({ recipient }) => recipient)).toEqual(["Reader@spelling.example"]);
  });

  it("has nothing to send where nothing waits", async () => {
    const { agent } = await confirmed();
    await agent.post("/profile/email/confirmation").expect(303);
    expect(await mail.jobs()).toEqual([]);
    expect((await agent.get("/profile")).text).toContain(
      '<p class="notice is-info" role="status">There’s no e-mail address to confirm.</p>',
    );
  });
});

describe("where the site sends no mail", () => {
  const silent = useTestApp();

  it("does not promise another link to who has one that nobody was sent", async () => {
    const { text } = await request(silent.app).get("/confirm-email/x").expect(404);
    expect(text).toContain("We don’t recognize this link.");
    expect(text).not.toContain("Send the e-mail again");
  });

  it("an address is stored, nothing is queued, and the profile says so", async () => {
    const agent = silent.agent();
    const form = { name: "Unheard", password: PASSWORD, email: "unheard@example.org" };
    await agent.post("/register").type("form").send(form).expect(303);
    const page = textOf((await agent.get("/profile")).text);
    expect(page).toContain("This site doesn’t send e-mail");
    expect(page).not.toContain("not confirmed yet");
    expect(page).not.toContain("Send the e-mail again");
    await change(agent, "other@example.org").expect(303);
    await agent.post("/profile/email/confirmation").expect(303);
    expect((await agent.get("/profile")).text).toContain(
      '<p class="notice is-danger" role="alert">This site doesn’t send e-mail.</p>',
    );
    await silent.db("users").update({ confirmed_email: "other@example.org" });
    await change(agent, "").expect(303);
    const { rows } = await silent.db.raw("select 1 from graphile_worker.jobs");
    expect(rows).toEqual([]);
  });
});
