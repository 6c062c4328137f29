import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { fillItems } from "./database.ts";
import { generateItems, type Item } from "./items.ts";
import { type Site, startSite } from "./servers.ts";

/** Queries are made from so many of a catalogue's items. */
const SAMPLE = 20_000;
const MEGABYTE = 1024 * 1024;

/** A site over a catalogue of generated items, and those of them that queries are made from. */
export interface Catalogue {
  readonly site: Site;
  readonly items: readonly Item[];
}

/**
 * Fills the database while a site runs on it, and prints what the catalogue costs: time until it is found, memory.
 * Then restarts the site, so that later measurements do not follow a change.
 */
export async function openCatalogue(
  db: Knex,
  { count, databaseUrl, directory }: { count: number; databaseUrl: string; directory: string },
): Promise<Catalogue> {
  await fillItems(db, []);
  const first = await startSite(databaseUrl, directory);
  await first.ask(findById("1"));
  const empty = await first.memory();
  const sample: Item[] = [];
  const filled = await timed(() => fillItems(db, sampled(generateItems(count), count, sample)));
  const seen = await timed(() => untilFound(first, String(count)));
  await first.stop();
  const started = performance.now();
  const site = await startSite(databaseUrl, directory);
  await untilFound(site, String(count));
  const start = (performance.now() - started) / 1000;
  const full = await site.memory();
  const bytes = (full.now - empty.now) / (count * 2);
  console.log(`
${count} items with two names each: copied in ${filled.toFixed(1)} s, found ${seen.toFixed(1)} s later
a start until the first answer: ${start.toFixed(1)} s
memory of the site: ${megabytes(empty.now)} MB empty, ${megabytes(full.now)} MB full (at most ${megabytes(full.peak)} MB),
  ${bytes.toFixed(0)} bytes a name`);
  return { site, items: sample };
}

function* sampled(items: Iterable<Item>, count: number, sample: Item[]): Generator<Item> {
  const step = Math.ceil(count / SAMPLE);
  let number = 0;
  for (const item of items) {
    if (number++ % step === 0) sample.push(item);
    yield item;
  }
}

async function untilFound(site: Site, id: string): Promise<void> {
  while (JSON.parse(await site.ask(findById(id))).total === 0) await delay(20);
}

function findById(id: string): string {
  return `/api/items/search?q=${id}&limit=1`;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(0);
}
