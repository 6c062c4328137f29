import { createHash } from "node:crypto";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { removeExpired } from "../../src/accounts/queries.ts";
import { SENDS_MAIL, tokenOf, useAccountMail } from "../helpers/account-mail.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { textOf } from "../helpers/html.ts";

const site = useTestApp({ ...SENDS_MAIL, trustProxy: true });
const mail = useAccountMail(site);

const PASSWORD = "correct horse battery";
let people = 0;

/** Somebody who registered with an address and has not opened the mail. */
async function newcomer(headers: Record<string, string> = {}) {
  people += 1;
  const [name, email] = [`Newcomer ${people}`, `new-${people}@example.org`];
  const agent = site.agent();
  await agent
    .post("/register")
    .set({ "X-Forwarded-For": `10.1.${people}.1`, ...headers })
    .type("form")
    .send({ name, password: PASSWORD, email })
    .expect(303);
  const { id } = await site.db("users").where({ name }).first("id");
  return { id: Number(id), name, email, agent };
}

/** The same with the link that came by mail. */
async function mailed(headers: Record<string, string> = {}) {
  const person = await newcomer(headers);
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
    const { id, name, email } = await newcomer();
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

  it("of somebody who gives none adds no job", async () => {
    const form = { name: "Without Address", password: PASSWORD };
    await request(site.app).post("/register").type("form").send(form).expect(303);
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

  it("cannot be used by another site's form, and can be without any header of a browser", async () => {
    const { id, link } = await mailed();
    await request(site.app).post(link).set("Sec-Fetch-Site", "cross-site").expect(403);
    expect((await stored(id)).confirmed_email).toBeNull();
    await request(site.app).post(link).set("Origin", "http://almanac.test").expect(303);
    expect((await stored(id)).confirmed_email).not.toBeNull();
  });

  it("knows GET and POST", async () => {
    const answer = await request(site.app).put("/confirm-email/x").expect(405);
    expect(answer.headers.allow).toBe("GET, HEAD, POST");
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
    for (let round = 0; round < 4; round += 1) await again().expect(303);
    expect(await mail.jobs()).toHaveLength(1);
    expect((await mail.deliver()).map(({ recipient }) => recipient)).toEqual([email]);
    const refused = await again().expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(textOf(refused.text)).toContain("E-mail was sent too many messages; try again in 60 minutes.");
    expect(await mail.jobs()).toEqual([]);
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
    await request(site.app).post("/login/forgotten").type("form").send(form).expect(303);
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
    const { rows } = await silent.db.raw("select 1 from graphile_worker.jobs");
    expect(rows).toEqual([]);
  });
});

describe("removeExpired", () => {
  it("removes tokens a day after their time", async () => {
    const { id } = await site.createUser();
    const rows = ["25 hours", "23 hours", "-1 hour"].map((ago, place) => ({
      token_hash: createHash("sha256").update(`${id} ${place}`).digest(),
      user_id: id,
      purpose: "confirm",
      email: "a@example.org",
      expires_at: site.db.raw("now() - ?::interval", [ago]),
    }));
    await site.db("mail_tokens").insert(rows);
    expect(await removeExpired(site.db)).toBe(1);
    expect(await site.db("mail_tokens").where({ user_id: id })).toHaveLength(2);
  });
});
