import { stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { chooseIdentity, gatherFacts, type IdentityFacts } from "../../src/db/embedded/identity.ts";
import { query, type RunAs, useEmbedded } from "../helpers/embedded.ts";

const { dataDirectory, stoppedDatabase, start, startProcess } = useEmbedded();
const UNNAMED = 54_321;

describe("the user", () => {
  it("keeps the files when the tests' own user starts the site, root included", async () => {
    const directory = path.join(await dataDirectory(), "postgres");
    await start(directory);
    expect((await stat(directory)).uid).toBe(process.getuid?.());
  });

  it("may be without a name in /etc/passwd", async () => {
    const as: RunAs = process.getuid?.() === 0 ? { uid: UNNAMED, gid: UNNAMED } : {};
    const command = as.uid ? [] : ["unshare", "-U", `--map-user=${UNNAMED}`, `--map-group=${UNNAMED}`, "--"];
    const directory = path.join(await dataDirectory(as), "postgres");
    if (!as.uid && !(await namespacesAllowed(directory))) {
      // Neither can this user lose their name here, nor could one without a name make a database.
      const facts = { ...(await gatherFacts(directory, "/bin/true")), named: false };
      await expect(chooseIdentity(facts)).rejects.toThrow(/has no entry in \/etc\/passwd.*DATABASE_URL/);
      return;
    }
    const child = startProcess(directory, { as, command });
    expect(await query(await child.waitFor("url"), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("works where user namespaces cannot be had: root hands over to another, who owns the files then", async () => {
    const directory = await stoppedDatabase();
    const child = startProcess(directory, { env: { PATH: "/nowhere" } });
    expect(await query(await child.waitFor("url"), "select 1 as one")).toEqual([{ one: 1 }]);
    const isRoot = process.getuid?.() === 0;
    const { uid } = await stat(path.join(directory, "base"));
    expect(isRoot ? uid > 0 : uid === process.getuid?.()).toBe(true);
    await child.kill();
    expect((await start(directory)).url).toBe(await child.waitFor("url"));
  });
});

async function namespacesAllowed(directory: string): Promise<boolean> {
  const { canUnshare } = await gatherFacts(directory, "/bin/true");
  return canUnshare({ uid: 65_534, gid: 65_534 });
}

describe("chooseIdentity", () => {
  const nobody = { uid: 65_534, gid: 65_534 };
  const postgres = { uid: 101, gid: 104 };
  const facts: IdentityFacts = {
    uid: 1000,
    named: true,
    owner: undefined,
    isCluster: false,
    accounts: new Map([
      ["nobody", nobody],
      ["postgres", postgres],
    ]),
    canUnshare: async () => true,
  };
  const forbidden = async () => false;
  const root = { uid: 0, gid: 0 };

  it.each<[string, Partial<IdentityFacts>, object]>([
    ["an ordinary user: as they are", {}, { kind: "self" }],
    ["Windows: as they are", { uid: undefined }, { kind: "self" }],
    ["root: in a namespace", { uid: 0 }, { kind: "namespace", as: nobody }],
    ["root, own data: in a namespace", { uid: 0, owner: root }, { kind: "namespace", as: nobody }],
    [
      "root, another's data: as that user",
      { uid: 0, owner: { uid: 1000, gid: 100 } },
      { kind: "account", account: { uid: 1000, gid: 100 } },
    ],
    [
      "root without namespaces: postgres",
      { uid: 0, canUnshare: forbidden },
      { kind: "account", account: postgres },
    ],
    [
      "root without namespaces and postgres: nobody",
      { uid: 0, canUnshare: forbidden, accounts: new Map([["nobody", nobody]]) },
      { kind: "account", account: nobody },
    ],
    ["a user without a name: in a namespace", { named: false }, { kind: "namespace", as: nobody }],
    [
      "a user without a name nor namespaces, database there: as they are",
      { named: false, canUnshare: forbidden, isCluster: true, owner: { uid: 1000, gid: 1000 } },
      { kind: "self" },
    ],
  ])("%s", async (_, changes, identity) => {
    expect(await chooseIdentity({ ...facts, ...changes })).toEqual(identity);
  });

  it.each<[string, Partial<IdentityFacts>, RegExp]>([
    ["another's data", { owner: { uid: 1001, gid: 1 } }, /another user \(1001\).*DATA_DIR/],
    [
      "no name, no namespaces, no database",
      { named: false, canUnshare: forbidden },
      /1000 has no entry.*DATABASE_URL/,
    ],
    ["root, and nobody else there", { uid: 0, accounts: new Map() }, /does not run as root.*DATABASE_URL/],
  ])("%s: refused", async (_, changes, message) => {
    await expect(chooseIdentity({ ...facts, ...changes })).rejects.toThrow(message);
  });
});
