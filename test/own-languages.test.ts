import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, describe, expect, it, vi } from "vitest";
import { LANGUAGES } from "../src/i18n/languages.ts";
import { missingTexts, translate } from "../src/i18n/translate.ts";
import { useTestApp } from "./helpers/app.ts";
import { elements, textOf } from "./helpers/html.ts";

// Before the imports, as a process of the site is told of the folder by its entry.
const folder = await vi.hoisted(async () => {
  const { mkdtempSync, writeFileSync } = await import("node:fs");
  const made = mkdtempSync("/tmp/almanac-languages-");
  const german = { layout: { sections: { label: "Bereiche", servers: "Server der Welt" } } };
  writeFileSync(`${made}/de.json`, JSON.stringify(german));
  writeFileSync(`${made}/ru.json`, JSON.stringify({ layout: { sections: { servers: "Миры" } } }));
  process.env.ALMANAC_LANGUAGES = made;
  return made;
});
const data = mkdtempSync(path.join(tmpdir(), "almanac-data-"));
const site = useTestApp();

afterAll(() => {
  for (const made of [folder, data]) rmSync(made, { recursive: true });
});

describe("a language of the operator's own", () => {
  it("is one of the site's, with English where its file lacks a text", async () => {
    expect(LANGUAGES).toEqual(["en", "de", "ru"]);
    const { text } = await request(site.app).get("/de/search").expect(200);
    expect(text).toContain('<html lang="de"');
    expect(text).toContain('aria-label="Bereiche"');
    expect(elements(text, "nav").map(textOf)).toContainEqual(
      expect.stringMatching(/^Items .*Server der Welt .*Nicknames$/),
    );
    expect(text).toContain('hreflang="de"');
    expect(missingTexts("de")).toContain("layout.sections.nicknames");
    expect(missingTexts("de")).not.toContain("layout.sections.servers");
  });

  it("changes single texts of a language that the site has", () => {
    expect(translate("ru")("layout.sections.servers")).toBe("Миры");
    expect(translate("ru")("layout.sections.nicknames")).not.toBe(
      translate("en")("layout.sections.nicknames"),
    );
    expect(missingTexts("ru")).toEqual([]);
  });

  it.each([
    ["de.json", '{"layout": null}', "de.json: layout must be a text or an object of texts"],
    ["de.json", '{"home": {"title": 5}}', "de.json: home.title must be a text"],
    ["de.json", '{"home": {"title": ["x"]}}', "de.json: home.title must be a text"],
    ["de.json", "[]", "de.json: must be an object of texts"],
    ["de.json", '{"home":', "de.json is not JSON: "],
    ["pt_br.json", "{}", "pt_br.json names no language: call it pt-BR.json"],
  ])("with a mistake stops every command with one line: %s %s", (name, content, message) => {
    const languages = path.join(data, "languages");
    rmSync(languages, { recursive: true, force: true });
    mkdirSync(languages);
    writeFileSync(path.join(languages, name), content);
    const main = path.resolve("src/main.js");
    // The settings file names the folder, as it does for a site.
    writeFileSync(path.join(data, ".env"), `DATA_DIR=${data}\n`);
    const { PATH, HOME } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [main, "doctor"], {
      cwd: data,
      encoding: "utf8",
      env: { PATH, HOME },
    });
    expect(stderr).toMatch(/^almanac: [^\n]+\n$/);
    expect(stderr).toContain(path.join(languages, message));
    expect(status).toBe(1);
  });
});
