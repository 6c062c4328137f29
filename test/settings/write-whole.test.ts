import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { writeWhole } from "../../src/settings/write-whole.ts";
import { makeFolder } from "../helpers/folder.ts";

describe("writeWhole", () => {
  it("replaces a file and leaves no other file", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "file");
    await writeWhole(file, "old");
    await writeWhole(file, new Uint8Array([110, 101, 119]), { sync: true });
    expect(await readFile(file, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("gives a replaced file the requested permissions, whatever the umask", async () => {
    const file = path.join(makeFolder(), "file");
    await writeWhole(file, "open to all", { mode: 0o666 });
    expect((await stat(file)).mode & 0o777).toBe(0o666);
    await writeWhole(file, "secret", { mode: 0o600 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.getuid?.() === 0)("gives a file to another user if root writes it", async () => {
    const file = path.join(makeFolder(), "file");
    await writeWhole(file, "", { owner: { uid: 1234, gid: 5678 } });
    expect(await stat(file)).toMatchObject({ uid: 1234, gid: 5678 });
  });

  it("changes nothing if the file cannot be replaced", async () => {
    const folder = makeFolder();
    await mkdir(path.join(folder, "taken", "by a folder"), { recursive: true });
    await expect(writeWhole(path.join(folder, "taken"), "text")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await readdir(folder)).toEqual(["taken"]);
  });

  it("keeps one of several contents that are written at once", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "file");
    const contents = Array.from({ length: 8 }, (_, n) => String(n).repeat(100_000));
    await Promise.all(contents.map((content) => writeWhole(file, content)));
    expect(contents).toContain(await readFile(file, "utf8"));
    expect(await readdir(folder)).toEqual(["file"]);
  });
});
