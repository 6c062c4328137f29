import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp from "sharp";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { useTestApp } from "../helpers/app.ts";
import { gifOf, overlappingZip, pngOf, zipOf, zipOfEmptyFiles } from "../helpers/attack-files.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables } from "../helpers/database.ts";

const site = useTestApp();
let home: string;
let good: Buffer;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "almanac-attacks-"));
  const red = { width: 90, height: 60, channels: 3, background: "red" } as const;
  good = await sharp({ create: red }).png().toBuffer();
});
afterAll(() => rm(home, { recursive: true }));
beforeEach(async () => {
  await emptyTables(site.db, "items");
});

/** `import items … --images <from>`, with one record for the good picture, while somebody reads the site. */
async function importWhileRead(from: string, ...options: string[]) {
  const records = [
    { id: "good", name: "Good" },
    { id: "bare", name: "Bare" },
  ];
  const config = loadConfig({ DATA_DIR: path.join(home, "data"), PICTURES: "database" });
  const context = { config, stdin: JSON.stringify(records) };
  let isOver = false;
  const run = runCommand(importCommand, site.db, ["items", "-", "--images", from, ...options], context)
    .catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      return { code: 2, out: [], err: [error.message] };
    })
    .finally(() => {
      isOver = true;
    });
  const statuses = new Set<number>();
  do {
    statuses.add((await request(site.app).get("/items")).status);
  } while (!isOver);
  const outcome = await run;
  const items = (await site.db("items").pluck("id")).length;
  return { ...outcome, items, statuses: [...statuses] };
}

const svgOf = (inside: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`);

/** Draws for hours, from a few kilobytes. */
const SLOW_SVG = svgOf(
  `<filter id="a" x="-9999" y="-9999" width="99999" height="99999">${'<feTurbulence numOctaves="99"/><feMorphology radius="500"/>'.repeat(200)}</filter><path filter="url(#a)" d="M0 0h9v9z"/>`,
);

const TOO_LARGE = "the limit is 8192 per side and 40 million in all";
const NO_PICTURE = "isn’t a PNG, JPEG, WebP, GIF, AVIF or SVG picture";

const ATTACKS: readonly (readonly [name: string, make: () => Buffer | Promise<Buffer>, reason: string])[] = [
  ["huge.png", () => pngOf(30_000, 30_000), `is 30000 × 30000 pixels; ${TOO_LARGE}`],
  ["wide.png", () => pngOf(10_000, 10), `is 10000 × 10 pixels; ${TOO_LARGE}`],
  ["many-pixels.png", () => pngOf(8_000, 8_000), `is 8000 × 8000 pixels; ${TOO_LARGE}`],
  ["script.svg", () => svgOf("<script>alert(1)</script>"), "is an SVG with a script"],
  ["drawn.png", () => svgOf('<path d="M0 0h9v9z"/>'), "is SVG, but its name ends in .png"],
  ["photo.exe", () => good, "is PNG, but its name ends in .exe"],
  ["page.png", () => Buffer.from("<html><svg></svg></html>"), NO_PICTURE],
  ["program.png", () => Buffer.from("MZ\x90\0"), NO_PICTURE],
  ["empty.png", () => Buffer.alloc(0), "is empty"],
  ["cut.jpg", async () => (await sharp(good).resize(400).jpeg().toBuffer()).subarray(0, 900), "is damaged"],
  ["short.png", () => good.subarray(0, 60), "is damaged"],
  ["frames.gif", () => gifOf(10_000), "has 10000 frames; the limit is 1000, and only the first is shown"],
  ["comments.svg", () => Buffer.from(`${"<!---->".repeat(500)}<html>`), NO_PICTURE],
  [
    "spaces.svg",
    () => svgOf(`<path fill="url(${" ".repeat(500_000)}x)"/>`),
    "is an SVG with an outside address",
  ],
  ["deep.svg", () => svgOf("<g>".repeat(90_000) + "</g>".repeat(90_000)), "is damaged"],
  ["long.svg", () => svgOf('<path d="M0 0"/>'.repeat(140_000)), "is 3 MB; the limit for an SVG is 2"],
  ["slow.svg", () => SLOW_SVG, "takes too long to draw; use a PNG of it instead"],
  ["red\u001b[31m\u202e.png", () => Buffer.from("x"), NO_PICTURE],
];

/** As lines of the report, in its order. */
function linesOf(refused: readonly (readonly [name: string, reason: string])[]): string[] {
  const shown = (name: string) => name.replace("\u001b", "\\u{1b}").replace("\u202e", "\\u{202e}");
  return refused.map(([name, reason]) => `${shown(name)}: ${reason}`).sort((a, b) => (a < b ? -1 : 1));
}

describe("a folder with files that attack the site", () => {
  let folder: string;
  let refused: string[];

  beforeAll(async () => {
    folder = path.join(home, "attacks");
    await mkdir(path.join(folder, "folder.png"), { recursive: true });
    await writeFile(path.join(folder, "good.png"), good);
    await writeFile(path.join(home, "secret.png"), good);
    await symlink(path.join(home, "secret.png"), path.join(folder, "link.png"));
    await symlink(home, path.join(folder, "linked-folder"));
    for (const [name, make] of ATTACKS) await writeFile(path.join(folder, name), await make());
    refused = linesOf([
      ...ATTACKS.map(([name, , reason]) => [name, reason] as const),
      ["folder.png", "is a folder"],
      ["link.png", "is a link; only actual files are accepted"],
      ["linked-folder", "is a link; only actual files are accepted"],
    ]);
  });

  it("is refused with a line for each file, while users get their pages", async () => {
    const { code, err, items, statuses } = await importWhileRead(folder);
    // On a slow machine it reports its progress, too.
    const complaints = err.slice(0, -1).filter((line) => !line.endsWith(" pictures read"));
    expect(complaints.sort((a, b) => (a < b ? -1 : 1))).toEqual(refused);
    const counts = `${refused.length} of ${refused.length + 1} pictures cannot be used`;
    expect(err.at(-1)).toBe(`Nothing was written: ${counts}; --skip-invalid takes the others.`);
    expect({ code, items, statuses }).toEqual({ code: 1, items: 0, statuses: [200] });
  }, 120_000);

  it("gives its good pictures with --skip-invalid, and still lists the others", async () => {
    // The slow drawing was refused in the test before.
    await rm(path.join(folder, "slow.svg"));
    refused = refused.filter((line) => !line.startsWith("slow.svg"));
    const { code, err, items, statuses } = await importWhileRead(folder, "--skip-invalid", "--quiet");
    expect(err.sort((a, b) => (a < b ? -1 : 1))).toEqual(refused);
    expect({ code, items, statuses }).toEqual({ code: 0, items: 2, statuses: [200] });
    const pictures = await site.db("items").orderBy("id").pluck("picture");
    expect(pictures).toEqual([null, expect.stringMatching(/^[0-9a-f]{32}_90x60$/)]);
  }, 120_000);
});

describe("an archive that attacks the site", () => {
  const archiveOf = async (name: string, bytes: Buffer) => {
    const file = path.join(home, name);
    await writeFile(file, bytes);
    return file;
  };

  it("of 42 KB that would unpack to 4 GB is refused", async () => {
    const names = Array.from({ length: 205 }, (_, number) => `${number}.png`);
    const bytes = overlappingZip(Buffer.alloc(20 * 1024 * 1024), names);
    expect(bytes.length).toBeLessThan(42_000);
    const file = await archiveOf("bomb.zip", bytes);
    const { code, err, items, statuses } = await importWhileRead(file, "--skip-invalid");
    expect(err).toEqual([`--images ${file}: is damaged: its files overlap`]);
    expect({ code, items, statuses }).toEqual({ code: 2, items: 0, statuses: [200] });
  });

  it("of a million files is refused before they are read", async () => {
    const file = await archiveOf("million.zip", zipOfEmptyFiles(1_000_000));
    const { code, err, statuses } = await importWhileRead(file, "--skip-invalid");
    expect(err).toEqual([`--images ${file}: has 1000000 files; an archive may have 200000`]);
    expect({ code, statuses }).toEqual({ code: 2, statuses: [200] });
  });

  it("may not have names that lead outside", async () => {
    const names = ["../../evil.png", "/etc/evil.png", "C:/evil.png", "a/../../evil.png"];
    const files = [...names, "good.png"].map((name) => ({ name, bytes: good }));
    const file = await archiveOf("slip.zip", zipOf(files));
    const { code, err, items } = await importWhileRead(file, "--skip-invalid", "--quiet");
    const outside = names.map((name) => `${name}: has a name that leads outside the archive`);
    expect(err.sort()).toEqual(outside.sort());
    expect({ code, items }).toEqual({ code: 0, items: 2 });
    expect(await importWhileRead(file)).toMatchObject({ code: 1 });
  });
});

describe("the names of pictures", () => {
  it("are found whichever way their letters are composed, and missing ones are reported", async () => {
    const folder = path.join(home, "names");
    await mkdir(folder);
    await writeFile(path.join(folder, "cafe\u0301.png"), good);
    const run = async (records: object[], ...options: string[]) => {
      const context = { config: loadConfig({ PICTURES: "database" }), stdin: JSON.stringify(records) };
      const args = ["items", "-", "--images", folder, ...options];
      return (await runCommand(importCommand, site.db, args, context)).err;
    };
    expect(await run([{ id: "caf\u00e9", name: "Café" }])).toEqual([]);
    expect(await site.db("items").pluck("picture")).toEqual([expect.stringMatching(/_90x60$/)]);
    const named = [
      { id: "a", name: "A", icon: "cafe\u0301.png" },
      { id: "b", name: "B", icon: "lost.png" },
      { id: "c", name: "C", icon: "lost.png" },
    ];
    expect(await run(named, "--map", "image=icon")).toEqual([
      'warning: 1 picture that a record names is not among the files: "lost.png"',
    ]);
  });
});
