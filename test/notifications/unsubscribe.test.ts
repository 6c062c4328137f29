import request from "supertest";
import { describe, expect, it } from "vitest";
import { unsubscribeToken } from "../../src/notifications/email/unsubscribe-token.ts";
import { loadSettings, saveSettings } from "../../src/notifications/settings-queries.ts";
import { signToken } from "../../src/web/session/signed-token.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { elements, textOf } from "../helpers/html.ts";

const site = useTestApp();
const { sessionSecret } = TEST_CONFIG;

async function subscriber() {
  const user = await site.createUser();
  await saveSettings(site.db, user.id, { email: "each", push: true });
  return { ...user, link: `/unsubscribe/${unsubscribeToken(sessionSecret, user.id)}` };
}

const choiceOf = async (userId: number) => (await loadSettings(site.db, userId)).email;

describe("the link to unsubscribe, opened", () => {
  it("shows a button and changes nothing", async () => {
    const { id, link, name } = await subscriber();
    const { text, headers } = await request(site.app).get(link).expect(200);
    await request(site.app).head(link).expect(200);
    expect(await choiceOf(id)).toBe("each");
    expect(elements(text, "button").map(textOf)).toContain("Unsubscribe");
    expect(textOf(text)).toContain(name);
    expect(headers["cache-control"]).toBe("no-store");
    expect(text).toContain('<meta name="robots" content="noindex">');
  });

  it("gives its token to no link and no other site", async () => {
    const { link } = await subscriber();
    for (const method of ["get", "post"] as const) {
      const { text, headers } = await request(site.app)[method](link).expect(200);
      expect(text).not.toContain(link.split("/").at(-1));
      expect(text).toContain(`<link rel="canonical" href="${TEST_CONFIG.baseUrl}/notifications/settings">`);
      expect(text).toContain('href="/login?next=%2Fnotifications%2Fsettings"');
      expect(headers["referrer-policy"]).toBe("strict-origin");
    }
  });

  it("says so where no mail is sent any more", async () => {
    const { id, link } = await subscriber();
    await saveSettings(site.db, id, { email: "off" });
    const { text } = await request(site.app).get(link).expect(200);
    expect(textOf(text)).toContain("You’re unsubscribed");
    expect(elements(text, "button").map(textOf)).not.toContain("Unsubscribe");
  });

  it("works for who is logged in as well", async () => {
    const user = await subscriber();
    const { agent } = await site.logIn(user);
    const { text } = await agent.get(user.link).expect(200);
    expect(textOf(text)).toContain(user.name);
    await agent.post(user.link).set("Sec-Fetch-Site", "same-origin").expect(200);
    expect(await choiceOf(user.id)).toBe("off");
  });
});

describe("one click (RFC 8058)", () => {
  it("ends the mails at once, without a cookie, and leaves the other channels", async () => {
    const { id, link } = await subscriber();
    const { text, headers } = await request(site.app)
      .post(link)
      .type("form")
      .send("List-Unsubscribe=One-Click")
      .expect(200);
    expect(await choiceOf(id)).toBe("off");
    expect((await loadSettings(site.db, id)).push).toBe(true);
    expect(textOf(text)).toContain("You’re unsubscribed");
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("takes a multipart body, and one from another site", async () => {
    const first = await subscriber();
    await request(site.app).post(first.link).field("List-Unsubscribe", "One-Click").expect(200);
    expect(await choiceOf(first.id)).toBe("off");
    const second = await subscriber();
    await request(site.app)
      .post(second.link)
      .set("Origin", "https://mail.example")
      .set("Sec-Fetch-Site", "cross-site")
      .type("form")
      .send("List-Unsubscribe=One-Click")
      .expect(200);
    expect(await choiceOf(second.id)).toBe("off");
  });

  it("answers the same again, for a body of any kind, and for who never had any mail", async () => {
    const { id, link } = await subscriber();
    await request(site.app).post(link).expect(200);
    await request(site.app).post(link).type("application/octet-stream").send("x".repeat(100_000)).expect(200);
    expect(await choiceOf(id)).toBe("off");
    const stranger = await site.createUser();
    await request(site.app)
      .post(`/unsubscribe/${unsubscribeToken(sessionSecret, stranger.id)}`)
      .expect(200);
  });

  it("is fine for an account that was deleted since", async () => {
    const { id, link } = await subscriber();
    await site.db("users").where({ id }).delete();
    await request(site.app).post(link).expect(200);
    const { text } = await request(site.app).get(link).expect(200);
    expect(textOf(text)).toContain("You’re unsubscribed");
  });

  it("touches nobody else", async () => {
    const [one, other] = [await subscriber(), await subscriber()];
    await request(site.app).post(one.link).expect(200);
    expect(await choiceOf(other.id)).toBe("each");
  });
});

describe("a forged link", () => {
  it.each(["GET", "POST"])("is not found by %s and changes nothing", async (method) => {
    const { id } = await subscriber();
    const forged = [
      signToken("another secret", "unsubscribe", String(id)),
      signToken(sessionSecret, "feed", String(id)),
      String(id),
    ];
    for (const token of forged) {
      const { text } = await request(site.app)
        [method === "GET" ? "get" : "post"](`/unsubscribe/${token}`)
        .expect(404);
      expect(text).toContain("There is no such unsubscribe link");
    }
    expect(await choiceOf(id)).toBe("each");
  });
});
