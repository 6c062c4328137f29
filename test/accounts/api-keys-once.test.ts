import type request from "supertest";
import { describe, expect, it } from "vitest";
import { createKey, listKeys } from "../../src/accounts/keys/queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { attributes, textOf } from "../helpers/html.ts";

const site = useTestApp();

const KEY = /alm_[0-9A-Za-z]{36}/;

/** What a page's form that makes a key would send. */
function formOn(page: request.Response): Record<string, string> {
  const form_id = /name="form_id" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
  return { name: "my bot", expiry: "never", form_id };
}

function send(agent: Agent, form: Record<string, string>) {
  return agent.post("/profile/keys").type("form").send(form);
}

describe("a form that makes a key", () => {
  it.each(["/profile", "/profile/keys", "/ru/profile/keys"])(
    "makes one, and %s has a new one each time",
    async (path) => {
      const { id, agent } = await site.logIn();
      const [first, second] = [formOn(await agent.get(path)), formOn(await agent.get(path))];
      expect(first.form_id).not.toBe(second.form_id);
      expect((await send(agent, first).expect(200)).text).toMatch(KEY);
      await send(agent, first).expect(303).expect("Location", "/profile/keys");
      expect(await listKeys(site.db, id)).toHaveLength(1);
      expect((await send(agent, second).expect(200)).text).toMatch(KEY);
      expect(await listKeys(site.db, id)).toHaveLength(2);
    },
  );

  it("says on the list that its key was created already, also a revoked one, and never shows it again", async () => {
    const { id, agent } = await site.logIn();
    const form = formOn(await agent.get("/profile/keys"));
    const key = KEY.exec((await send(agent, form)).text)?.[0] ?? "none";
    await send(agent, form).expect(303);
    await site.db("api_keys").where({ user_id: id }).update({ revoked_at: site.db.fn.now() });
    await send(agent, form).expect(303);
    expect(await listKeys(site.db, id)).toHaveLength(1);
    const sessions = await site.db("sessions").where({ user_id: id });
    expect(JSON.stringify(sessions)).not.toContain(key.slice(8));
    const list = await agent.get("/profile/keys");
    expect(textOf(list.text)).toContain("The key “my bot” was already created and can’t be shown again.");
    expect(list.text).not.toContain(key);
    expect(formOn(list).form_id).not.toBe(form.form_id);
  });

  it("makes one where it is sent many times at once", async () => {
    const { id, agent } = await site.logIn();
    const form = formOn(await agent.get("/profile/keys"));
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(agent, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 303, 303, 303, 303, 303]);
    expect(await listKeys(site.db, id)).toHaveLength(1);
  });

  it("stays the same while it is refused, with what was typed", async () => {
    const { agent } = await site.logIn();
    const form = formOn(await agent.get("/profile/keys"));
    const refused = await send(agent, { ...form, name: "kept", expiry: "soon" }).expect(400);
    expect(formOn(refused).form_id).toBe(form.form_id);
    expect(attributes(refused.text, "value")).toContain("kept");
    await send(agent, form).expect(200);
  });

  it("asks again where it comes back with another name, and keeps that", async () => {
    const { id, agent } = await site.logIn();
    const form = formOn(await agent.get("/profile/keys"));
    await send(agent, form).expect(200);
    const asked = await send(agent, { ...form, name: "another" }).expect(400);
    expect(textOf(asked.text)).toContain("This form has already created the key “my bot”.");
    expect(attributes(asked.text, "value")).toContain("another");
    expect(await listKeys(site.db, id)).toHaveLength(1);
    await send(agent, { ...formOn(asked), name: "another" }).expect(200);
    expect((await listKeys(site.db, id)).map(({ name }) => name)).toEqual(["another", "my bot"]);
  });

  it("reports its key rather than the limit, once it has created the last one", async () => {
    const { id, agent } = await site.logIn();
    for (let made = 0; made < 19; made += 1) await createKey(site.db, id, { name: "one", expiry: "never" });
    const form = formOn(await agent.get("/profile/keys"));
    await send(agent, form).expect(200);
    await send(agent, form).expect(303);
  });

  it("is nobody else's business", async () => {
    const [owner, stranger] = [await site.logIn(), await site.logIn()];
    const form = formOn(await owner.agent.get("/profile/keys"));
    await send(stranger.agent, { ...form, name: "a stranger's" }).expect(200);
    await send(owner.agent, form).expect(200);
  });

  it.each(["", "x", "'; drop table api_keys; --", "\0", "x".repeat(10_000)])(
    "is not needed by a program, nor has to be one of ours: %j",
    async (form_id) => {
      const { id, agent } = await site.logIn();
      for (const status of [200, 200]) {
        await send(agent, { name: "a program's", expiry: "never", form_id }).expect(status);
      }
      expect(await listKeys(site.db, id)).toHaveLength(2);
    },
  );
});
