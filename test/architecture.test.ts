import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");
const files = listFiles();
const sources = files.filter((file) => file.startsWith("src/") && file.endsWith(".ts"));

/** Folders of src that are no features: what features stand on, and what puts them together. */
const BELOW = ["http", "db", "i18n", "assets"];
const BELOW_FILES = [
  "src/urls.ts",
  "src/config.ts",
  "src/look-settings.ts",
  "src/secrets.ts",
  "src/currencies.ts",
];
const ABOVE = ["commands", "jobs"];
const ABOVE_FILES = ["src/main.ts", "src/cli.ts", "src/app.ts"];

describe("imports go one way", () => {
  const edges = sources.flatMap((from) =>
    importsOf(from).map((to) => ({ from, to, edge: `${from} -> ${to}` })),
  );

  it("finds imports at all", () => {
    expect(edges.length).toBeGreaterThan(100);
    expect(edges.every(({ to }) => files.includes(to))).toBe(true);
  });

  it("only the entry point runs the command line", () => {
    expect(edges.filter(({ to }) => to === "src/main.ts").map(({ edge }) => edge)).toEqual([]);
    expect(edges.filter(({ to }) => to === "src/cli.ts").map(({ edge }) => edge)).toEqual([
      "src/main.ts -> src/cli.ts",
    ]);
  });

  it("what features stand on imports no feature and nothing above", () => {
    const wrong = edges.filter(({ from, to }) => isBelow(from) && !isBelow(to));
    expect(wrong.map(({ edge }) => edge)).toEqual([]);
  });

  it("features import neither the app, nor commands, nor jobs", () => {
    const wrong = edges.filter(({ from, to }) => featureOf(from) && isAbove(to) && !isCommandType(to));
    expect(wrong.map(({ edge }) => edge)).toEqual([]);
  });

  it("of another feature only queries, schemas and pure modules are imported, never its routes", () => {
    const routes = /\/(api|pages|routes)\.ts$/;
    const wrong = edges.filter(({ from, to }) => {
      const feature = featureOf(to);
      return feature && featureOf(from) && feature !== featureOf(from) && routes.test(to);
    });
    expect(wrong.map(({ edge }) => edge)).toEqual([]);
  });

  it("queries know no Express and nothing of http/", () => {
    const queries = sources.filter((file) => /queries\.ts$/.test(file));
    expect(queries.length).toBeGreaterThan(5);
    for (const file of queries) {
      expect(packagesOf(file), file).not.toContain("express");
      const http = importsOf(file).filter((to) => to.startsWith("src/http/"));
      expect(http, file).toEqual([]);
    }
  });

  it("the configuration is read at the edges only", () => {
    const readers = sources.filter((file) => /\bloadConfig\(/.test(read(file)));
    expect(readers.sort()).toEqual(["src/cli.ts", "src/config.ts"]);
    const environment = sources.filter((file) => /process\.env\b/.test(read(file)));
    // A child process gets the environment handed on; nothing is read out of it there.
    expect(environment.sort()).toEqual(["src/db/embedded/program.ts", "src/main.ts"]);
  });

  it("nothing listens or connects at import time", () => {
    const topLevel = /^(await |const \w+ = )?(listen|createDb|openDatabase|startEmbeddedPostgres)\(/m;
    expect(sources.filter((file) => topLevel.test(read(file)))).toEqual([]);
  });
});

describe("templates", () => {
  const views = files.filter((file) => file.startsWith("views/") && file.endsWith(".ejs"));

  it("escape by default: unescaped output is an include, the layout's body or an SVG of our own", () => {
    expect(views.length).toBeGreaterThan(10);
    const unescaped = views.flatMap((file) =>
      [...read(file).matchAll(/<%-\s*([\s\S]*?)%>/g)].map((match) => `${file}: ${match[1]?.trim()}`),
    );
    const allowed = /: (include\(|body$|\w*([cC]hart|[sS]parkline)\b)/;
    expect(unescaped.filter((use) => !allowed.test(use))).toEqual([]);
  });

  it("carry no inline script, style or event handler, which the content security policy would block", () => {
    const inline = /<script(?![^>]*\bsrc=)|<style\b|\sstyle\s*=|\son[a-z]+\s*=/i;
    // Mails are no pages: they have no policy, and programs that read them load no style sheets.
    const pages = views.filter((file) => !file.startsWith("views/mail/"));
    expect(pages.filter((file) => inline.test(read(file)))).toEqual([]);
  });

  it("write no path of the site by hand", () => {
    const byHand = /(href|action)="\/(?!assets\/)[^"]*"/;
    expect(views.filter((file) => byHand.test(read(file)))).toEqual([]);
  });
});

describe("the tree", () => {
  it("holds no file that has become two rooms", () => {
    const lines = (file: string) => read(file).split("\n").length;
    expect(sources.filter((file) => lines(file) > 300)).toEqual([]);
  });

  it("has no grab-bag files", () => {
    expect(sources.filter((file) => /\/(utils?|helpers?|misc|common|shared)(\.ts|\/)/.test(file))).toEqual(
      [],
    );
  });

  it("names migrations by time, verb and noun", () => {
    const migrations = files.filter((file) => file.startsWith("migrations/"));
    expect(migrations.length).toBeGreaterThan(0);
    for (const file of migrations) expect(file).toMatch(/^migrations\/\d{14}_[a-z]+_[a-z_]+\.ts$/);
  });

  it("keeps download addresses out of the lock file", () => {
    expect(read("package-lock.json")).not.toMatch(/"resolved"/);
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
  // What was deleted is listed until that is committed.
  return listed
    .toString()
    .split("\n")
    .filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

function specifiersOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import)\s+"([^"]+)"|import\("([^"]+)"\)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
}

function importsOf(file: string): string[] {
  return specifiersOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier))
    .filter((target) => target.startsWith("src/"));
}

function packagesOf(file: string): string[] {
  return specifiersOf(file).filter((specifier) => !specifier.startsWith("."));
}

function isBelow(file: string): boolean {
  return BELOW.some((folder) => file.startsWith(`src/${folder}/`)) || BELOW_FILES.includes(file);
}

function isAbove(file: string): boolean {
  return ABOVE.some((folder) => file.startsWith(`src/${folder}/`)) || ABOVE_FILES.includes(file);
}

function isCommandType(file: string): boolean {
  return file === "src/commands/command.ts";
}

function featureOf(file: string): string | undefined {
  return isBelow(file) || isAbove(file) ? undefined : file.split("/")[1];
}
