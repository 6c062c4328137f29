import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { userCommand } from "../../src/commands/user.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";

const site = useTestApp();

const run = (args: string[], stdin = "") => runCommand(userCommand, site.db, args, { stdin });
const logIn = (name: string, password: string) => site.post("/login", { name, password });

async function findUser(name: string) {
  return site.db("users").where({ name }).first();
}

describe("user create", () => {
  it("makes an operator with a random password, printed once as the only result", async () => {
    const email = ["--email", "op@example.org"];
    const { code, out, err } = await run(["create", "First Operator", "--operator", ...email]);
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    expect(out[0]).toMatch(/^[\w-]{24}$/);
    expect(err.join()).toContain("Made the operator First Operator.");
    expect(await findUser("First Operator")).toMatchObject({ role: "operator", email: "op@example.org" });
    await logIn("First Operator", String(out[0])).expect(303);
  });

  it("takes the password from a file or from standard input, and repeats it nowhere", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "almanac-user-"));
    try {
      const file = path.join(directory, "password");
      await writeFile(file, "password in a file\r\nsecond line\n");
      const fromFile = await run(["create", "filed", "--password-file", file]);
      const fromInput = await run(["create", "piped", "--password-file", "-"], "password by a pipe\n");
      expect([fromFile.code, fromInput.code]).toEqual([0, 0]);
      expect([fromFile, fromInput].flatMap(({ out, err }) => [...out, ...err]).join()).not.toContain(
        "password",
      );
    } finally {
      await rm(directory, { recursive: true });
    }
    expect(await findUser("filed")).toMatchObject({ role: "user", email: null });
    await logIn("filed", "password in a file").expect(303);
    await logIn("piped", "password by a pipe").expect(303);
  });

  it("fails for a name that is taken", async () => {
    await site.createUser({ name: "Taken" });
    expect(await run(["create", "TAKEN"])).toMatchObject({
      code: 1,
      out: [],
      err: ["almanac: the name TAKEN is taken"],
    });
  });

  it.each([
    [["create", "x"], "", "name must be 2 to 32 characters long"],
    [["create", "ann", "--email", "none"], "", "email must be an e-mail address, such as ann@example.org"],
    [["create", "ann", "--password-file", "-"], "short\n", "password must be 8 to 200 characters long"],
    [["create", "ann", "--password-file", "-"], "12345678\n", "password is one of the most common passwords"],
    [["create", "ann", "--password-file", "/nowhere/at/all"], "", "--password-file: ENOENT"],
  ])("is a bad call as %j with %j: %s", async (args, stdin, message) => {
    await expect(run(args, stdin)).rejects.toThrow(UsageError);
    await expect(run(args, stdin)).rejects.toThrow(message);
    expect(await findUser("ann")).toBeUndefined();
  });
});

describe("user list", () => {
  it("prints each account on a line, oldest first, and no hash", async () => {
    const [one, two] = [await site.createUser(), await site.createUser({ role: "operator" })];
    const { code, out, err } = await run(["list"]);
    expect([code, err]).toEqual([0, []]);
    const fields = out.map((line) => line.split("\t"));
    const ids = fields.map(([id]) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(fields.slice(-2).map((row) => row.slice(0, 4))).toEqual([
      [String(one.id), one.name, "user", ""],
      [String(two.id), two.name, "operator", ""],
    ]);
    expect(Date.parse(String(fields.at(-1)?.[4]))).not.toBeNaN();
    expect(out.join()).not.toContain("argon2");
  });
});

describe("user password", () => {
  it("changes it, in any spelling of the name, and ends the user's sessions", async () => {
    const { id, name, password, agent } = await site.logIn();
    const { code, out } = await run(["password", name.toUpperCase()]);
    expect(code).toBe(0);
    expect(await site.db("sessions").where({ user_id: id })).toEqual([]);
    await agent.get("/profile").expect(303);
    await logIn(name, password).expect(401);
    await logIn(name, String(out[0])).expect(303);
  });
});

describe("user role", () => {
  it("makes an operator and an editor of a user, and back", async () => {
    await site.createUser({ role: "operator" });
    const { name } = await site.createUser();
    for (const role of ["operator", "editor", "user"]) {
      expect((await run(["role", name, role])).code).toBe(0);
      expect(await findUser(name)).toMatchObject({ role });
    }
  });

  it("leaves the last operator one", async () => {
    await site.db("users").where({ role: "operator" }).delete();
    const { name } = await site.createUser({ role: "operator" });
    for (const args of [
      ["role", name, "user"],
      ["disable", name],
      ["delete", name, "--yes"],
    ]) {
      expect(await run(args)).toMatchObject({ code: 1, err: [expect.stringContaining("the last operator")] });
    }
    expect(await findUser(name)).toMatchObject({ role: "operator", disabled_at: null });
  });

  it("knows three roles", async () => {
    const { name } = await site.createUser();
    await expect(run(["role", name, "admin"])).rejects.toThrow(
      "'admin' is invalid for argument 'role'. Allowed choices are operator, editor, user",
    );
  });
});

describe("user disable", () => {
  it("lets nobody in until user enable", async () => {
    const { name, password, agent } = await site.logIn();
    expect((await run(["disable", name])).code).toBe(0);
    await agent.get("/profile").expect(303);
    await logIn(name, password).expect(403);
    expect((await run(["list"])).out.at(-1)).toMatch(/Z\t\d{4}-.*Z$/);
    expect((await run(["enable", name])).code).toBe(0);
    await logIn(name, password).expect(303);
    const lines = await site
      .db("audit_log")
      .where({ subject: `user/${name}` })
      .orderBy("id");
    expect(lines).toMatchObject([
      { action: "account.disabled", via: "command", user_id: null },
      { action: "account.enabled", via: "command" },
    ]);
  });
});

describe("user delete", () => {
  it("needs --yes, and removes the account with its sessions", async () => {
    const { id, name } = await site.logIn();
    await expect(run(["delete", name])).rejects.toThrow("cannot be undone: add --yes");
    expect(await findUser(name)).toBeDefined();
    expect((await run(["--yes", "delete", name])).code).toBe(0);
    expect(await findUser(name)).toBeUndefined();
    expect(await site.db("sessions").where({ user_id: id })).toEqual([]);
  });
});

describe("user", () => {
  it.each([
    ["password", "nobody here"],
    ["role", "nobody here", "user"],
    ["delete", "nobody here", "--yes"],
  ])("%s fails for somebody who does not exist", async (...args) => {
    expect(await run(args)).toEqual({ code: 1, out: [], err: ["almanac: there is no user nobody here"] });
  });

  it.each([
    [[], "say what to do: create, list, password, role, disable, enable, delete"],
    [["constructor"], "say what to do"],
    [["create"], "missing required argument 'name'"],
    [["create", "a", "b"], "too many arguments for 'create'. Expected 1 argument but got 2: a, b."],
    [["list", "--yes"], "unknown option '--yes'"],
  ])("is a bad call as %j", async (args, message) => {
    await expect(run(args)).rejects.toThrow(message);
    await expect(run(args)).rejects.toThrow(UsageError);
  });
});
