/**
 * Imports generated items with a picture each, by the command as an operator calls it: how long that takes, how much
 * memory, and what a second run costs. The baseline is sharp alone, making the same sizes of a part of the same files.
 *
 *   node bench/import-pictures.ts [count]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pLimit from "p-limit";
import sharp from "sharp";
import { migrate } from "../src/db/migrate.ts";
import { LARGE, THUMBNAILS } from "../src/records/stored-picture.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const count = Number(process.argv[2] ?? 16_620);
/** As many at once as the import draws. */
const AT_ONCE = 2;
/** One of so many files is in the baseline. */
const SAMPLED = 10;
const FORMATS = ["png", "jpeg", "webp"] as const;
const SIDES = [128, 256, 384, 512, 768, 1024] as const;
/** Has the command tell its peak memory when it ends. */
const TELL_MEMORY =
  "data:text/javascript,process.on('exit',()=>console.error('peak',Math.round(process.resourceUsage().maxRSS/1024)))";

const home = await mkdtemp(path.join(tmpdir(), "almanac-pictures-"));
try {
  await withThrowAwayDatabase(async (db, url) => {
    await migrate(db);
    await run(url);
  });
} finally {
  await rm(home, { recursive: true, force: true });
}

async function run(url: string): Promise<void> {
  const folder = path.join(home, "pictures");
  const records = path.join(home, "items.json");
  const numbers = Array.from({ length: count }, (_, number) => number);
  await writeFile(records, JSON.stringify(numbers.map(recordOf)));
  const bytes = await drawAll(folder, numbers);
  console.log(`${count} pictures of 128 to 1,024 pixels, ${Math.round(bytes / 1e6)} MB`);
  const bare = await makeBare(numbers.filter((number) => number % SAMPLED === 0).map(fileOf(folder)));
  const first = await importPictures(url, records, folder);
  const second = await importPictures(url, records, folder);
  console.log(`sharp alone: ${(bare * 1000).toFixed(1)} ms a picture`);
  report("import", first, bare);
  report("the same again", second, bare);
}

interface ImportRun {
  readonly seconds: number;
  readonly megabytes: number;
  readonly summary: { readonly added: number; readonly changed: number; readonly unchanged: number };
}

function report(what: string, { seconds, megabytes, summary }: ImportRun, bare: number): void {
  const { added, changed, unchanged } = summary;
  const each = seconds / count;
  console.log(
    `${what}: ${seconds.toFixed(0)} s, ${(each * 1000).toFixed(1)} ms a picture, ratio to sharp alone ${(each / bare).toFixed(2)}, ` +
      `peak memory ${megabytes} MB (added ${added}, changed ${changed}, unchanged ${unchanged})`,
  );
}

/** Ids are paths, as games have them. */
function recordOf(number: number) {
  const id = `/Generated/Pictures/Of/Items/With/Long/Paths/Group${number % 40}/Item${number}`;
  return { id, name: `Item ${number}`, category: `Group ${number % 40}` };
}

function fileOf(folder: string): (number: number) => string {
  return (number) => path.join(folder, `${recordOf(number).id}.${FORMATS[number % FORMATS.length]}`);
}

/** Draws every picture; resolves to how many bytes they have. */
async function drawAll(folder: string, numbers: readonly number[]): Promise<number> {
  for (const number of numbers.slice(0, 40))
    await mkdir(path.dirname(fileOf(folder)(number)), { recursive: true });
  const limit = pLimit(AT_ONCE);
  const sizes = await Promise.all(
    numbers.map((number) =>
      limit(async () => {
        const format = FORMATS[number % FORMATS.length] ?? "png";
        const drawn = sharp(Buffer.from(svgOf(number)));
        return (await drawn.toFormat(format).toFile(fileOf(folder)(number))).size;
      }),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A star of the number's own colours, corners and size. */
function svgOf(number: number): string {
  const side = SIDES[number % SIDES.length] ?? 128;
  const corners = 3 + (number % 11);
  const points = Array.from({ length: 2 * corners }, (_, at) => {
    const [angle, reach] = [(Math.PI * at) / corners + number, at % 2 === 0 ? 48 : 16 + (number % 23)];
    return `${(50 + reach * Math.cos(angle)).toFixed(1)},${(50 + reach * Math.sin(angle)).toFixed(1)}`;
  });
  const hue = (number * 137) % 360;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 100 100">` +
    `<linearGradient id="a"><stop stop-color="hsl(${hue},70%,30%)"/><stop offset="1" stop-color="hsl(${number % 360},60%,70%)"/>` +
    `</linearGradient><path fill="url(#a)" d="M0 0h100v100H0z"/>` +
    `<polygon fill="hsl(${(hue + 180) % 360},80%,60%)" points="${points.join(" ")}"/></svg>`
  );
}

/** Seconds a picture that sharp takes for the sizes that the site keeps, and nothing else. */
async function makeBare(files: readonly string[]): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const started = performance.now();
  await Promise.all(files.map((file) => limit(() => makeAllSizes(file))));
  return (performance.now() - started) / 1000 / files.length;
}

async function makeAllSizes(file: string): Promise<void> {
  const bytes = await readFile(file);
  const inside = { fit: "inside", withoutEnlargement: true } as const;
  for (const side of [LARGE, ...THUMBNAILS]) {
    await sharp(bytes).resize(side, side, inside).webp({ quality: 82, effort: 2 }).toBuffer();
  }
}

async function importPictures(url: string, records: string, folder: string): Promise<ImportRun> {
  const started = performance.now();
  const args = ["--import", TELL_MEMORY, "src/main.ts", "import", "items", records];
  const child = spawn(process.execPath, [...args, "--images", folder, "--json"], {
    cwd: path.join(import.meta.dirname, ".."),
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: path.join(home, "data") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the import failed: ${err}`);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, megabytes: Number(/peak (\d+)/.exec(err)?.[1]), summary: JSON.parse(out) };
}
