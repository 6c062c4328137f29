import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../src/db/sessions.ts";
import { type PendingForm, signPendingForm, verifyPendingForm } from "../../src/web/request/pending-form.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { attributes, mainOf, textOf } from "../helpers/html.ts";
import { addDonateItem, addServer } from "../helpers/things.ts";

const site = useTestApp();

beforeAll(async () => {
  await addDonateItem(site.db, "typed-item");
  await addServer(site.db, "typed");
});

type Person = Omit<Awaited<ReturnType<typeof site.logIn>>, "agent">;

const cookieOf = (answer: request.Response) =>
  /^[^;]*/.exec(answer.headers["set-cookie"]?.[0] ?? "")?.[0] ?? "";

const logIn = async (role: Role = "user") => site.logIn(await site.createUser({ role }));

const endSession = ({ id }: Person) => site.db("sessions").where({ user_id: id }).delete();

/** Sends a form of a page, as a browser does. */
function send(path: string, { cookie }: Pick<Person, "cookie">, fields: Record<string, string>, page = path) {
  return site.post(path, fields, { Cookie: cookie, Referer: `http://127.0.0.1${page}`, Host: "127.0.0.1" });
}

/** The log-in form's hidden field. */
const tokenIn = (html: string) => /name="typed" value="([^"]*)"/.exec(html)?.[1];

/** Logs in by the form that an answer shows, and follows where that leads. */
async function logInBy(html: string, { name, password }: Person) {
  const typed = tokenIn(html);
  const next = /name="next" value="([^"]*)"/.exec(html)?.[1];
  const form = { name, password, ...(typed && { typed }), ...(next && { next }) };
  const answer = await site.post("/login", form).expect(303);
  const [cookie, location = ""] = [cookieOf(answer), answer.headers.location];
  return { cookie, location, shown: await request(site.app).get(location).set("Cookie", cookie) };
}

/** A form, who may send it, what is typed into it, and what of that is a secret. */
const FORMS: {
  path: string;
  page?: string;
  role: Role;
  typed: Record<string, string>;
  secret?: Record<string, string>;
}[] = [
  {
    path: "/profile/keys",
    role: "user",
    typed: { name: "Bot of <b>mine</b> & Яна", expiry: "date", expires_on: "2027-02-03" },
    secret: { password: "not to be kept" },
  },
  {
    path: "/profile/email",
    page: "/profile",
    role: "user",
    typed: { email: "typed@example.org" },
    secret: { current_password: "not to be kept" },
  },
  {
    path: "/profile/locale",
    page: "/profile",
    role: "user",
    typed: { time_zone: "Asia/Kathmandu" },
  },
  {
    path: "/operator/new-discount",
    role: "operator",
    typed: {
      item: "typed-item",
      title: "Half a <hat>",
      amount: "17.5",
      starts: "2027-01-02T03:04",
      ends: "2027-02-03T04:05",
      zone: "Asia/Kathmandu",
    },
  },
  {
    path: "/servers/typed/alerts",
    role: "user",
    typed: { queue: "1234", online: "5678" },
  },
  {
    path: "/operator/vocabulary/text",
    role: "operator",
    typed: { text: '{ "attributes": { "weight": { "label": "Heft" } } }' },
  },
];

/** What the inputs, choices and texts of a page hold. */
function valuesIn(html: string): string[] {
  const main = mainOf(html);
  const texts = [...main.matchAll(/<textarea[^>]*>([^<]*)</g)].map((match) => textOf(match[1] ?? ""));
  const chosen = [...main.matchAll(/<option value="([^"]*)" selected/g)].map((match) => match[1] ?? "");
  return [...attributes(main, "value"), ...texts, ...chosen];
}

/** Every record that one of the forms could change. */
function everything(): Promise<unknown[]> {
  const tables = ["users", "api_keys", "discounts", "mail_tokens", "settings", "server_favorites"];
  return Promise.all([...tables, "server_alerts"].map((table) => site.db(table).select()));
}

describe.each(FORMS)(
  "$path, sent after the session has ended",
  ({ path, page, role, typed, secret = {} }) => {
    it("comes back as it was typed once its user has logged in, and nothing is saved by that", async () => {
      const person = await logIn(role);
      await endSession(person);
      const before = await everything();
      const asked = await send(path, person, { ...typed, ...secret, step: "save" }, page).expect(401);
      expect(asked.headers["cache-control"]).toBe("no-store");
      expect(mainOf(asked.text)).toContain("Log in to get back what you typed");
      for (const text of Object.values(secret)) expect(asked.text).not.toContain(text);
      const kept = verifyPendingForm(TEST_CONFIG.sessionSecret, tokenIn(asked.text));
      expect(kept?.fields).toMatchObject(typed);
      for (const name of Object.keys(secret)) expect(kept?.fields).not.toHaveProperty(name);
      const { shown, location } = await logInBy(asked.text, person);
      expect(location).toBe("/login/typed");
      expect(shown.status).toBe(200);
      expect(shown.headers["cache-control"]).toMatch(/no-store|^private, no-cache$/);
      expect(textOf(mainOf(shown.text))).toContain(`You’re logged in as ${person.name}.`);
      expect(valuesIn(shown.text)).toEqual(expect.arrayContaining(Object.values(typed)));
      for (const text of Object.values(secret)) expect(shown.text).not.toContain(text);
      expect(await everything()).toEqual(before);
    });

    it("is shown to another user who logs in instead, if they may see it, and saved for nobody", async () => {
      const [person, other] = [await logIn(role), await logIn("user")];
      await endSession(person);
      const before = await everything();
      const asked = await send(path, person, { ...typed, ...secret, step: "save" }, page).expect(401);
      const { shown } = await logInBy(asked.text, other);
      expect(shown.status).toBe(role === "user" ? 200 : 403);
      if (role === "user") expect(textOf(mainOf(shown.text))).toContain(`You’re logged in as ${other.name}.`);
      else for (const text of Object.values(typed)) expect(valuesIn(shown.text)).not.toContain(text);
      expect(await everything()).toEqual(before);
    });
  },
);

describe("a form that was typed before the log-in", () => {
  const KEY = { name: "a key that waits", expiry: "30", form_id: "6f3f5d0e-51e2-4a55-9c4f-0a6f3a2b1c0d" };

  async function asked(person: Person, fields: Record<string, string> = KEY) {
    await endSession(person);
    return send("/profile/keys", person, fields);
  }

  it("is saved when its user sends it, and is then forgotten", async () => {
    const person = await logIn();
    const { cookie } = await logInBy((await asked(person)).text, person);
    const again = () => request(site.app).get("/login/typed").set("Cookie", cookie);
    await again().expect(200, /a key that waits/);
    expect(await site.db("api_keys").where({ user_id: person.id })).toEqual([]);
    await send("/profile/keys", { cookie }, KEY).expect(200);
    expect(await site.db("api_keys").where({ user_id: person.id }).pluck("name")).toEqual([KEY.name]);
    const answer = await again().expect(303);
    expect(answer.headers.location).toBe("/profile");
  });

  it("is kept through a wrong password and a language", async () => {
    const person = await logIn();
    const first = await asked(person);
    const form = { name: person.name, password: "a wrong password", typed: tokenIn(first.text) };
    const second = await site.post("/ru/login", form).expect(401);
    expect(tokenIn(second.text)).toBeDefined();
    expect(valuesIn(second.text)).toContain(person.name);
    expect(valuesIn(first.text)).not.toContain(KEY.name);
    const { shown } = await logInBy(second.text, person);
    expect(valuesIn(shown.text)).toContain(KEY.name);
  });

  it("comes back also where the session ends while the form is on its way", async () => {
    const person = await logIn();
    const password_changed_at = site.db.raw("clock_timestamp()");
    await site.db("users").where({ id: person.id }).update({ password_changed_at });
    const answer = await send("/profile/keys", person, KEY).expect(401);
    expect(verifyPendingForm(TEST_CONFIG.sessionSecret, tokenIn(answer.text))?.fields).toEqual(KEY);
  });

  it("is not kept if it is too large; the log-in page appears all the same", async () => {
    const person = await logIn();
    for (const name of ["я".repeat(21 * 1024), "x".repeat(70 * 1024)]) {
      const answer = await asked(person, { ...KEY, name });
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe("/login?next=%2Fprofile%2Fkeys&ended=yes");
    }
    const most = await asked(person, { ...KEY, name: "x".repeat(39 * 1024) });
    const { shown } = await logInBy(most.text, person);
    expect(valuesIn(shown.text)).toContain("x".repeat(39 * 1024));
  });

  it("is not taken from a token that is forged, old or broken", async () => {
    const person = await logIn();
    const until = Date.now() + 60_000;
    const deletion: PendingForm = { action: "/profile/delete", fields: { confirm: "yes" }, until };
    const tokens = [
      signPendingForm("another secret", deletion),
      signPendingForm(TEST_CONFIG.sessionSecret, { ...deletion, until: Date.now() - 1 }),
      "broken",
      `${signPendingForm(TEST_CONFIG.sessionSecret, deletion)}A`,
    ];
    for (const typed of tokens) {
      const form = { name: person.name, password: person.password, typed };
      await site.post("/login", form).expect(303).expect("Location", "/profile");
    }
  });

  it("is no way in for another site", async () => {
    const person = await logIn();
    await endSession(person);
    const answer = await send("/profile/keys", person, KEY).set("Sec-Fetch-Site", "cross-site").expect(403);
    expect(tokenIn(answer.text)).toBeUndefined();
  });

  it("has nothing for a visitor, and nothing of forms that only have passwords", async () => {
    await request(site.app)
      .get("/login/typed")
      .expect(303)
      .expect("Location", /^\/login\?next=/);
    const person = await logIn();
    await endSession(person);
    for (const path of ["/profile/password", "/profile/delete"]) {
      const answer = await send(path, person, { current_password: "x", new_password: "y", confirm: "yes" });
      expect([answer.status, answer.text]).toEqual([303, expect.not.stringContaining("typed")]);
    }
  });
});
