import { readFile } from "node:fs/promises";

/** The folder of the demo data. */
export const SEEDS = new URL("../../../seeds/demo/", import.meta.url);

/** Reads a JSON file of the demo data. */
export async function readSeed<Content>(name: string): Promise<Content> {
  return JSON.parse(await readFile(new URL(`${name}.json`, SEEDS), "utf8"));
}
