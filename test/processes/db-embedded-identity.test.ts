import { stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { chooseIdentity, gatherFacts } from "../../src/db/embedded/identity.ts";
import { query, type RunAs, useEmbedded } from "../helpers/embedded.ts";

const { dataDirectory, start, startProcess } = useEmbedded();
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
    const directory = path.join(await dataDirectory(), "postgres");
    await start(directory).then((server) => server.stop());
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
