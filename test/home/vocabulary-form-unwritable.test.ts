import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { attributes, mainOf, textOf } from "../helpers/html.ts";

/*
 * Neither test uses access rights, which mean nothing to root. If a file's name leaves no length for a draft's name, the
 * site can read and not write it, as on a read-only disk. If a file replaces the folder, the site can read nothing.
 */
const home = await mkdtemp(path.join(tmpdir(), "almanac-unwritable-"));
const folder = path.join(home, "data");
await mkdir(folder);
const long = path.join(folder, `${"w".repeat(245)}.json`);
const WORDS = '{ "attributes": { "damage": { "label": "Harm" } } }\n';
await writeFile(long, WORDS);
const vocabulary = new LiveVocabulary({ file: long, defaults: {} });
const site = useTestApp({}, () => ({ vocabulary }));
let agent: Agent;

const KIND = "/en/operator/vocabulary/kinds/items";
const TEXT = "/en/operator/vocabulary/text";
const PAGES = ["/en/operator/vocabulary", KIND, TEXT, "/en/operator/vocabulary/categories"];

beforeAll(async () => {
  ({ agent } = await site.logIn(await site.createUser({ role: "operator" })));
  await importRecords(site.db, "items", [{ id: "ak", name: "AK-47", attributes: { damage: 30 } }]);
});

afterAll(() => rm(home, { recursive: true }));

/** A file where the folder was. */
async function blockFolder(): Promise<void> {
  await rename(folder, path.join(home, "away"));
  await writeFile(folder, "in the way");
}

async function giveFolderBack(): Promise<void> {
  await rm(folder);
  await rename(path.join(home, "away"), folder);
}

const read = (html: string) => textOf(mainOf(html));

function stampIn(html: string): string {
  return /name="stamp" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

async function send(page: string, fields: Record<string, string>, status: number): Promise<string> {
  return (await agent.post(page).type("form").send(fields).expect(status)).text;
}

/** What the form of a kind sends with a label typed in Russian. */
async function typedRow(): Promise<Record<string, string>> {
  const { text } = await agent.get(KIND).expect(200);
  return {
    stamp: stampIn(text),
    "0.path": '["attributes","damage"]',
    "0.was": "{}",
    "0.label.ru": "Урон",
  };
}

describe("a vocabulary that can be read and not written", () => {
  it("appears on every page before anybody types, and in the preview", async () => {
    for (const page of PAGES)
      expect(read((await agent.get(page).expect(200)).text), page).toContain(
        "cannot be written (ENAMETOOLONG)",
      );
    const preview = await send(KIND, { ...(await typedRow()), step: "preview" }, 200);
    expect(read(preview)).toContain("cannot be written (ENAMETOOLONG)");
    const russian = await agent.get("/ru/operator/vocabulary").expect(200);
    expect(read(russian.text)).toContain("нельзя записать (ENAMETOOLONG)");
  });

  it("refuses to be saved with the reason, keeps what was typed, and leaves no draft behind", async () => {
    const ofKind = await send(KIND, { ...(await typedRow()), step: "save" }, 503);
    expect(read(ofKind)).toContain("The file couldn’t be written (ENAMETOOLONG). Nothing was changed");
    expect(attributes(ofKind, "value")).toContain("Урон");
    const text = '{ "attributes": { "damage": { "label": "Typed" } } }';
    const stamp = stampIn((await agent.get(TEXT)).text);
    const ofText = await send(TEXT, { stamp, text, step: "save" }, 503);
    expect(read(ofText)).toContain("The file couldn’t be written (ENAMETOOLONG)");
    expect(mainOf(ofText)).toContain("Typed");
    expect(await readFile(long, "utf8")).toBe(WORDS);
    expect(await readdir(folder)).toEqual([path.basename(long)]);
  });
});

describe("a vocabulary that cannot be read any more", () => {
  afterEach(giveFolderBack);

  it("appears on every page, and no answer fails", async () => {
    await blockFolder();
    for (const page of PAGES)
      expect(read((await agent.get(page).expect(200)).text), page).toContain("cannot be written (ENOTDIR)");
  });

  it("blames nobody else, keeps what was typed, and takes it once the file is back", async () => {
    const row = await typedRow();
    const text = '{ "attributes": { "damage": { "label": "Typed" } } }';
    await blockFolder();
    for (const step of ["preview", "save"]) {
      const ofKind = await send(KIND, { ...row, step }, 503);
      expect(read(ofKind)).toContain("The file can’t be read anymore (ENOTDIR). Nothing was changed");
      expect(read(ofKind)).not.toContain("Somebody else");
      expect(attributes(ofKind, "value")).toContain("Урон");
      expect(stampIn(ofKind)).toBe(row.stamp);
      const ofText = await send(TEXT, { stamp: row.stamp ?? "", text, step }, 503);
      expect(read(ofText)).toContain("The file can’t be read anymore (ENOTDIR)");
      expect(mainOf(ofText)).toContain("Typed");
    }
    await giveFolderBack();
    const preview = await send(KIND, { ...row, step: "preview" }, 200);
    expect(read(preview)).toContain("Урон");
    await blockFolder();
  });
});
