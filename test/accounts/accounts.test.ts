import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";

const site = useTestApp({ trustProxy: true });

const PASSWORD = "correct horse battery";

let registrations = 0;

/** Each from an address of its own, because new accounts are limited by address. */
function register(form: Record<string, string>, agent = site.agent()) {
  registrations += 1;
  return agent.post("/register").set("X-Forwarded-For", `10.0.0.${registrations}`).type("form").send(form);
}

function logIn(form: Record<string, string>, agent = site.agent()) {
  return agent.post("/login").type("form").send(form);
}

describe("registration", () => {
  it("makes an account, logs it in and welcomes it once", async () => {
    const agent = site.agent();
    await register({ name: "Newcomer", password: PASSWORD }, agent)
      .expect(303)
      .expect("Location", "/profile");
    const profile = await agent.get("/profile").expect(200);
    expect(profile.text).toContain("Welcome, Newcomer.");
    expect((await agent.get("/profile")).text).not.toContain("Welcome,");
  });

  it("stores an Argon2id hash with the parameters of OWASP and never the password", async () => {
    await register({ name: "Hashed", password: PASSWORD }).expect(303);
    const row = await site.db("users").where({ name_key: "hashed" }).first();
    expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify(row)).not.toContain(PASSWORD);
  });

  it.each([
    ["Ёж и Пингвин", "ёж и пингвин"],
    ["小明_99", "小明_99"],
    ["हिन्दी", "हिन्दी"],
    ["  two   spaces  ", "two spaces"],
    ["Ｗｉｄｅ", "wide"],
    ["José".normalize("NFD"), "josé"],
  ])("accepts the name %j", async (name, key) => {
    await register({ name, password: PASSWORD }).expect(303);
    expect(await site.db("users").where({ name_key: key }).first("id")).toBeDefined();
  });

  it.each([
    ["x", "must be 2 to 32 characters long"],
    ["a".repeat(33), "must be 2 to 32 characters long"],
    ["", "is required"],
    ["   ", "is required"],
    ["<b>bold</b>", "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    ["tab\tnul\0", "must not contain a NUL character"],
    ["zero\u200bwidth", "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    ["right\u202eleft", "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    ["hangul\u3164filler", "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    [`z${"\u0301".repeat(9)}algo`, "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    ["😀😀", "can only contain letters, digits, spaces, dots, hyphens and underscores"],
    ["...", "must contain a letter or a digit"],
  ])("refuses the name %j: it %s", async (name, message) => {
    const page = await register({ name, password: PASSWORD }).expect(400);
    expect(page.text).toContain(`Name ${message}.`);
  });

  it("refuses a lone surrogate, which only JSON can carry", async () => {
    const body = `{"name":"ab\\ud800","password":"${PASSWORD}"}`;
    const page = await site.agent().post("/register").type("json").send(body).expect(400);
    expect(page.text).toContain("Name must be well-formed Unicode");
  });

  it.each([
    ["TAKEN name", "another case"],
    ["Ｔaken Name", "full-width letters"],
  ])("refuses %j while Taken Name exists: %s", async (name) => {
    await register({ name: "Taken Name", password: PASSWORD });
    const page = await register({ name, password: PASSWORD }).expect(400);
    expect(page.text).toContain("Name is taken.");
  });

  it("lets one of two win who ask for a name at once", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => register({ name: "Wanted", password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400]);
  });

  it.each([
    ["short12", "must be 8 to 200 characters long"],
    ["p".repeat(201), "must be 8 to 200 characters long"],
    ["", "is required"],
    ["Passworded", "must not be your account name"],
    ["  PASSWORDED ", "must not be your account name"],
  ])("refuses the password %j: it %s", async (password, message) => {
    const page = await register({ name: "Passworded", password }).expect(400);
    expect(page.text).toContain(`Password ${message}.`);
    expect(await site.db("users").where({ name_key: "passworded" }).first()).toBeUndefined();
  });

  it("counts code points: eight emoji are a password, seven are none", async () => {
    await register({ name: "seven", password: "🔑".repeat(7) }).expect(400);
    await register({ name: "eight", password: "🔑".repeat(8) }).expect(303);
  });

  it.each(["not-an-address", "a@b@c", "ann@", "@example.org", "a b@example.org", `${"a".repeat(250)}@b.cd`])(
    "refuses the e-mail address %j",
    async (email) => {
      const page = await register({ name: "Mailer", password: PASSWORD, email }).expect(400);
      expect(page.text).toMatch(/id="email-error">E-mail must/);
    },
  );

  it("keeps what was typed, except the password, and puts the message beside its field", async () => {
    const form = { name: "<i>", password: "typed secret", email: "ann@example.org", next: "/servers" };
    const page = await register(form).expect(400);
    expect(page.text).toMatch(
      /<input type="text" value="&lt;i&gt;" id="name" name="name" autocomplete="username"/,
    );
    expect(page.text).toContain('value="ann@example.org"');
    expect(page.text).toContain('name="next" value="/servers"');
    expect(page.text).not.toContain("typed secret");
    expect(page.text).toContain('aria-describedby="name-hint name-error" aria-invalid="true"');
  });

  it("explains what the address is for, also while the site sends no mail", async () => {
    const { text } = await request(site.app).get("/en/register").expect(200);
    expect(text).toContain("This site doesn’t send e-mail at the moment");
    expect(text).toContain('aria-describedby="email-hint"');
  });

  it("names every fault at once", async () => {
    const page = await register({ name: "x", password: "short", email: "no" }).expect(400);
    for (const field of ["name", "password", "email"]) expect(page.text).toContain(`id="${field}-error"`);
  });

  it("refuses a password that everybody else has, in the language of the page", async () => {
    const english = await register({ name: "Common", password: "QwertyUiop" }).expect(400);
    expect(english.text).toContain("Password is one of the most common passwords and easy to guess.");
    const form = { name: "Common", password: "QwertyUiop" };
    const russian = await request(site.app).post("/ru/register").type("form").send(form).expect(400);
    expect(russian.text).toContain("слишком распространённый, его легко подобрать");
    expect(await site.db("users").where({ name: "Common" })).toEqual([]);
  });

  it("goes on to where the visitor came from", async () => {
    await register({ name: "Returner", password: PASSWORD, next: "/servers?sort=name" })
      .expect(303)
      .expect("Location", "/servers?sort=name");
  });
});

describe("log-in", () => {
  it.each(["Log In", "log in", "LOG  IN", "Ｌog In"])("takes the name as %j", async (name) => {
    await site.createUser({ name: "Log In", password: PASSWORD }).catch(() => undefined);
    await logIn({ name, password: PASSWORD }).expect(303).expect("Location", "/profile");
  });

  it("leads an operator to their page, and anybody to the page that they came from", async () => {
    const { name, password } = await site.createUser({ role: "operator" });
    await logIn({ name, password }).expect(303).expect("Location", "/operator");
    await logIn({ name, password, next: "/servers" }).expect(303).expect("Location", "/servers");
  });

  it("accepts a common password that the account already has", async () => {
    const { name } = await site.createUser({ password: "password" });
    await logIn({ name, password: "password" }).expect(303);
  });

  it("takes a password in another normal form of the same text", async () => {
    await site.createUser({ name: "Normaliser", password: "Ångström ﬁsh".normalize("NFD") });
    await logIn({ name: "Normaliser", password: "Ångström fish".normalize("NFC") }).expect(303);
  });

  it("says the same of an unknown name and of a wrong password, with 401 and a challenge", async () => {
    const { name } = await site.createUser();
    const wrong = await logIn({ name, password: "wrong password" }).expect(401);
    const unknown = await logIn({ name: "nobody at all", password: "wrong password" }).expect(401);
    expect(unknown.text.replaceAll("nobody at all", name)).toBe(wrong.text);
    expect(wrong.text).toContain("Wrong name or password.");
    expect(wrong.headers["www-authenticate"]).toBeDefined();
    expect(wrong.headers["set-cookie"]).toBeUndefined();
  });

  it("keeps the name that was typed and the way back, never the password", async () => {
    const page = await logIn({ name: "Typed Name", password: "typed secret", next: "/favorites" }).expect(
      401,
    );
    expect(page.text).toContain('value="Typed Name"');
    expect(page.text).toContain('name="next" value="/favorites"');
    expect(page.text).not.toContain("typed secret");
  });

  it("asks for both fields, each beside its input", async () => {
    const page = await logIn({}).expect(400);
    expect(page.text).toContain("Name is required.");
    expect(page.text).toContain("Password is required.");
  });

  it("marks its fields for password managers", async () => {
    const page = await request(site.app).get("/login").expect(200);
    expect(page.text).toMatch(/<input type="text" id="name" name="name" autocomplete="username"/);
    expect(page.text).toMatch(
      /<input type="password" id="password" name="password" autocomplete="current-password"/,
    );
    const registration = await request(site.app).get("/register").expect(200);
    expect(registration.text).toMatch(
      /<input type="password" id="password" name="password" autocomplete="new-password"/,
    );
  });

  it("strengthens a hash that was made with less work, and the password still works", async () => {
    const { id, name, password } = await site.createUser();
    const { hash } = await import("@node-rs/argon2");
    const weak = await hash(password, { memoryCost: 4096, timeCost: 1, parallelism: 1 });
    await site.db("users").where({ id }).update({ password_hash: weak });
    await logIn({ name, password }).expect(303);
    const row = await site.db("users").where({ id }).first("password_hash");
    expect(row.password_hash).toContain("m=19456,t=2");
    await logIn({ name, password }).expect(303);
  });
});

describe("the way back after a log-in", () => {
  let agent: Agent;
  beforeAll(async () => {
    ({ agent } = await site.logIn());
  });

  it.each([
    ["/servers/a%2Fb?x=1#top", "/servers/a%2Fb?x=1#top"],
    ["https://evil.example/", "/profile"],
    ["//evil.example", "/profile"],
    ["/\\evil.example", "/profile"],
    ["\\\\evil.example", "/profile"],
    ["/\t/evil.example", "/profile"],
    ["/%09/evil.example", "/%09/evil.example"],
    ["/.//evil.example", "/profile"],
    ["/a/..//evil.example", "/profile"],
    ["javascript:alert(1)", "/profile"],
    ["http:evil.example", "/profile"],
    ["evil.example", "/profile"],
    ["@evil.example", "/profile"],
    ["/\nLocation: https://evil.example", "/Location:%20https://evil.example"],
    ["", "/profile"],
  ])("of %j is %j", async (next, location) => {
    // The form goes the same way: "is offered for a page", below.
    await agent.get("/login").query({ next }).expect(303).expect("Location", location);
  });

  it("is offered for a page that needs an account, and leads there", async () => {
    const agent = site.agent();
    const { name, password } = await site.createUser();
    const sent = await agent.get("/notifications").expect(303);
    expect(sent.headers.location).toBe("/login?next=%2Fnotifications");
    const form = await agent.get(String(sent.headers.location)).expect(200);
    expect(form.text).toContain('name="next" value="/notifications"');
    await logIn({ name, password, next: "https://evil.example/" }).expect("Location", "/profile");
    await logIn({ name, password, next: "/notifications" }, agent).expect("Location", "/notifications");
  });

  it("is taken at once by somebody who is logged in, but not if it is repeated", async () => {
    await agent.get("/register?next=/servers").expect(303).expect("Location", "/servers");
    await agent.get("/login?next=/servers&next=/items").expect("Location", "/profile");
  });
});
