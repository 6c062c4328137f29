import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";
import { elements, textOf } from "../helpers/html.ts";
import { ownLanguages, runScript, startSite } from "../helpers/sites.ts";

const database = useTestDatabase();
const data = mkdtempSync(path.join(tmpdir(), "almanac-data-"));
afterAll(() => rmSync(data, { recursive: true }));

/** A site with the languages of a data directory. */
const start = (dataDir: string) =>
  startSite({ DATABASE_URL: database.url, DATA_DIR: dataDir, WORKER: "0", LOG_LEVEL: "error" });

/** What a site lacks of a language. */
async function missingIn(dataDir: string, language: string): Promise<string[]> {
  const script = `
    const { missingTexts } = await import("./src/words/i18n/translate.ts");
    process.stdout.write(JSON.stringify(missingTexts("${language}")));`;
  return JSON.parse(await runScript(script, dataDir));
}

describe("a language of the operator's own", () => {
  it("is one of the site's, with English where its file lacks a text, or changes single texts of one that it has", async () => {
    const german = { layout: { sections: { label: "Bereiche", servers: "Server der Welt" } } };
    const russian = { layout: { sections: { servers: "Миры" } } };
    const folder = await ownLanguages({ "de.json": german, "ru.json": russian });
    const { url } = await start(folder);
    const { text } = await request(url).get("/de/search").expect(200);
    expect(text).toContain('<html lang="de"');
    expect(text).toContain('aria-label="Bereiche"');
    expect(elements(text, "nav").map(textOf)).toContainEqual(
      expect.stringMatching(/^Items .*Server der Welt .*Nicknames$/),
    );
    for (const language of ["en", "de", "ru"]) expect(text).toContain(`hreflang="${language}"`);
    const missing = await missingIn(folder, "de");
    expect(missing).toContain("layout.sections.nicknames");
    expect(missing).not.toContain("layout.sections.servers");

    const changed = await request(url).get("/ru/search").expect(200);
    expect(elements(changed.text, "nav").map(textOf)).toContainEqual(
      expect.stringMatching(/^Предметы .*Миры .*Никнеймы$/),
    );
    expect(await missingIn(folder, "ru")).toEqual([]);
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
