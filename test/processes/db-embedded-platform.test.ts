import { chmod, copyFile, link, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { findPackage, prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { runProgram } from "../../src/db/embedded/identity.ts";
import { DatabaseSetupError } from "../../src/db/failures.ts";
import { ordinaryUser, query, useEmbedded } from "../helpers/embedded.ts";

const { dataDirectory, stoppedDatabase, start, startProcess } = useEmbedded();

async function databaseDirectory(): Promise<string> {
  return path.join(await dataDirectory(), "postgres");
}

describe("the programs", () => {
  it.each([
    ["linux", "riscv64"],
    ["win32", "arm64"],
    ["freebsd", "x64"],
  ])("do not exist for %s-%s: told, with the way out", (platform, arch) => {
    expect(() => findPackage(platform, arch)).toThrow(DatabaseSetupError);
    expect(() => findPackage(platform, arch)).toThrow(
      /No embedded Postgres for .*--omit=optional.*DATABASE_URL/,
    );
  });

  it("get the links that npm ci --ignore-scripts leaves out, and work from a path with spaces", async () => {
    const copy = path.join(await dataDirectory(), "копия of it");
    const links = await copyWithoutLinks(findPackage(), copy);
    expect(links.length).toBeGreaterThan(0);
    const directory = await stoppedDatabase();
    const { url } = await start(directory, { packageRoot: copy });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    for (const { source, target } of links) {
      const found = path.join(path.dirname(target), await readlink(path.join(copy, target)));
      expect(found).toBe(path.normalize(source));
    }
  });

  it("are incomplete if a link cannot be created", async () => {
    const copy = await dataDirectory();
    await mkdir(path.join(copy, "native"));
    const list = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
    await writeFile(path.join(copy, "native/pg-symlinks.json"), JSON.stringify(list));
    await expect(prepareBinaries(copy)).rejects.toThrow(/incomplete.*ENOENT.*--ignore-scripts.*DATABASE_URL/);
  });

  it("get nothing of the environment but where to find programs", async () => {
    vi.stubEnv("SESSION_SECRET", "keep it to yourself");
    vi.stubEnv("PGPORT", "1");
    vi.stubEnv("LC_ALL", "ru_RU.UTF-8");
    const { output } = await runProgram({ kind: "self" }, "/usr/bin/env", []);
    vi.unstubAllEnvs();
    expect(output).toContain("LC_ALL=C\n");
    expect(output).not.toMatch(/keep it to yourself|PGPORT|ru_RU/);
  });

  it.each([
    ["whose loader is missing, as under musl", "#!/lib/ld-nothing.so\n"],
    ["that are something else", "#!/bin/sh\necho hello\n"],
    ["that crash", "#!/bin/sh\necho 'cannot load libicu' >&2; exit 127\n"],
  ])("%s are refused in one line", async (_, script) => {
    const copy = await dataDirectory();
    await mkdir(path.join(copy, "native/bin"), { recursive: true });
    await writeFile(path.join(copy, "native/bin/postgres"), script, { mode: 0o755 });
    const failure = await prepareBinaries(copy).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(/^[^\n]*does not run on this machine[^\n]*DATABASE_URL[^\n]*$/);
  });
});

describe("a directory", () => {
  it("of another major version is refused with the two ways out, and stays as it is", async () => {
    const directory = await stoppedDatabase();
    await writeFile(path.join(directory, "PG_VERSION"), "17\n");
    await expect(start(directory)).rejects.toThrow(
      /made by Postgres 17, and this is Postgres 18.*upgrade-postgres.*DATA_DIR/,
    );
    await writeFile(path.join(directory, "PG_VERSION"), "18\n");
    expect((await start(directory)).adopted).toBe(false);
  });

  it("with other files is refused, and stays as it is", async () => {
    const directory = await databaseDirectory();
    await mkdir(directory);
    await writeFile(path.join(directory, "thesis.txt"), "four years of work");
    await expect(start(directory)).rejects.toThrow(/holds other files and no database.*DATA_DIR/);
    expect(await readdir(directory)).toEqual(["thesis.txt"]);
    expect(await readdir(path.dirname(directory))).toEqual(["postgres"]);
  });

  it("that is a file is refused", async () => {
    const directory = await databaseDirectory();
    await writeFile(directory, "");
    await expect(start(directory)).rejects.toThrow(DatabaseSetupError);
    await expect(start(directory)).rejects.toThrow(/cannot be kept in .*ENOTDIR/);
  });

  it("that may not be written to is refused in one line", async () => {
    const user = ordinaryUser();
    const home = await dataDirectory();
    await chmod(home, 0o555);
    // Root may write everywhere else; that is who the tests are if `nobody` cannot read this repository.
    const isRoot = user.uid === undefined && process.getuid?.() === 0;
    const child = startProcess(path.join(isRoot ? "/proc" : home, "almanac", "postgres"), { as: user });
    const message = await child.waitFor("error");
    expect(message).toMatch(/^The database cannot be kept in [^\n]*(EACCES|ENOENT|EROFS)[^\n]*$/);
    expect(await readdir(home)).toEqual([]);
  });

  it("on a full disk is left empty, with the reason in one line", async () => {
    const home = await dataDirectory();
    // A limit of 4 MB a file stands for the disk: the first WAL segment has 16.
    const command = ["/bin/sh", "-c", 'ulimit -f 8192; exec "$@"', "sh"];
    const child = startProcess(path.join(home, "postgres"), { command });
    const message = await child.waitFor("error");
    expect(message).toMatch(/^The database could not be made in [^\n]+: [^\n]+$/);
    expect(await child.waitFor("name")).toBe("DatabaseSetupError");
    expect(await child.ended).toBe(1);
    expect(await readdir(home)).toEqual([]);
  });

  it("whose password is lost is refused, and not given a new one", async () => {
    const directory = await stoppedDatabase();
    await rm(path.join(directory, "almanac.password"));
    await expect(start(directory)).rejects.toThrow(/password.*almanac\.password.*ENOENT/);
  });

  it("whose server does not start gives the server's own reason", async () => {
    const directory = await stoppedDatabase();
    await writeFile(path.join(directory, "postgresql.auto.conf"), "max_connections = many\n");
    const failure = await start(directory).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(DatabaseSetupError);
    expect(String(failure)).toMatch(
      /does not start: [^\n]*invalid value for parameter "max_connections"[^\n]*$/,
    );
    expect(await readFile(path.join(directory, "server.log"), "utf8")).toContain("max_connections");
  });
});

/** Without the symbolic links, as the package is unpacked; hard links, because it has 60 MB. */
async function copyWithoutLinks(from: string, to: string): Promise<{ source: string; target: string }[]> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const source = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(from, source));
    await mkdir(path.dirname(target), { recursive: true });
    if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
  return JSON.parse(await readFile(path.join(from, "native/pg-symlinks.json"), "utf8"));
}
