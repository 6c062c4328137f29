import { readdir, readFile } from "node:fs/promises";
import { nameOfBytes } from "../pictures/make-sizes.ts";
import type { PictureStore } from "../pictures/store.ts";
import { DRAWING, LARGE, pictureColumn } from "../records/stored-picture.ts";

const FOLDER = new URL("../../seeds/demo/pictures/", import.meta.url);

/** The kinds whose demo records have pictures. */
export const PICTURED_KINDS = ["items", "vehicles", "donate-items"] as const;

/**
 * Puts the pictures of a kind into the store, as the drawings that they are: to make their sizes would take a core for
 * half a minute. Resolves to values of the column `picture` by id.
 */
export async function storePictures(
  kind: (typeof PICTURED_KINDS)[number],
  store: PictureStore,
): Promise<ReadonlyMap<string, string>> {
  const folder = new URL(`${kind}/`, FOLDER);
  const columns = new Map<string, string>();
  for (const file of await readdir(folder)) {
    const bytes = await readFile(new URL(file, folder));
    const name = nameOfBytes(bytes);
    await store.write(name, new Map([[DRAWING, bytes]]));
    columns.set(file.replace(/\.svg$/, ""), pictureColumn({ name, width: LARGE, height: LARGE }));
  }
  return columns;
}
