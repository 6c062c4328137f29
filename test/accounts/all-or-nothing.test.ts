import request from "supertest";
import { describe, expect, it } from "vitest";
import { SENDS_MAIL } from "../helpers/account-mail.ts";
import { useTestApp } from "../helpers/app.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp(SENDS_MAIL);

const NEW_PASSWORD = "another horse battery";

const refuseSessions = () => refuseWrites(site.db, "insert on sessions");

function post(path: string, form: Record<string, string>, cookie = "") {
  return request(site.app).post(path).set("Cookie", cookie).type("form").send(form);
}

async function favoritesOf(id: number): Promise<string[]> {
  return site.db("server_favorites").where({ user_id: id }).pluck("server_id");
}

describe("what was done", () => {
  it("is not answered as failed where only the word of it cannot be left", async () => {
    const { id, agent } = await site.logIn();
    await addServer(site.db, "done");
    await refuseWrites(site.db, "update on sessions");
    const form = () => agent.post("/api/favorites/toggle").set("Accept", "text/html").type("form");
    await form().send("server_id=done").expect(303);
    expect(await favoritesOf(id)).toEqual(["done"]);
    await agent.post("/profile/locale").type("form").send("language=ru").expect(303);
    expect(await site.db("users").where({ id }).first("language")).toEqual({ language: "ru" });
    // A refusal appears on a page, if the form's own page is not possible.
    await form().send("server_id=nowhere").expect(404);
  });
});

describe("what was answered as failed", () => {
  it("has made no account: a retry finds the name free", async () => {
    await addServer(site.db, "wished");
    const form = {
      name: "Late Riser",
      password: NEW_PASSWORD,
      email: "late@example.org",
      favorite: "server:wished",
    };
    const { accept } = await refuseSessions();
    for (let round = 0; round < 3; round += 1) {
      const answer = await post("/register", form);
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    expect(await site.db("users").where({ name: "Late Riser" })).toEqual([]);
    const jobs = () => site.db("graphile_worker._private_jobs").count({ jobs: "*" }).first();
    expect(await jobs()).toEqual({ jobs: 0 });
    await accept();
    const answer = await post("/register", form).expect(303);
    expect(answer.headers["set-cookie"]).toHaveLength(1);
    const { id } = await site.db("users").where({ name: "Late Riser" }).first("id");
    expect(await favoritesOf(id)).toEqual(["wished"]);
    expect(await jobs()).toEqual({ jobs: 1 });
    expect(await site.db("sessions").where({ user_id: id })).toHaveLength(1);
  });

  it("has logged nobody in, and added nothing to their favorites", async () => {
    const { id, name, password } = await site.createUser();
    await addServer(site.db, "wished too");
    await refuseSessions();
    const answer = await post("/login", { name, password, favorite: "server:wished too" });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(await favoritesOf(id)).toEqual([]);
  });

  it("has changed no password, and ended no session", async () => {
    const { id, name, password, agent } = await site.logIn();
    const { accept } = await refuseSessions();
    const form = { current_password: password, new_password: NEW_PASSWORD };
    const answer = await agent.post("/profile/password").type("form").send(form);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    await accept();
    expect(await site.db("sessions").where({ user_id: id })).toHaveLength(1);
    await agent.get("/profile").expect(200);
    await post("/login", { name, password }).expect(303);
  });
});
