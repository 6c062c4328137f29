import { readdir, readFile } from "node:fs/promises";
import { nameOfBytes } from "../../records/pictures/make-sizes.ts";
import type { PictureStore } from "../../records/pictures/store.ts";
import { DRAWING, LARGE, pictureColumn } from "../../records/stored-picture.ts";
import { SEEDS } from "./seeds.ts";

/** The kinds whose demo records have pictures. */
export const PICTURED_KINDS = ["items", "vehicles", "donate-items"] as const;

type PicturedKind = (typeof PICTURED_KINDS)[number];

/**
 * Puts the pictures of a kind into the store, as the drawings that they are: to make their sizes would take a core for
 * half a minute. Resolves to values of the column `picture` by id.
 */
export async function storePictures(
  kind: PicturedKind,
  store: PictureStore,
): Promise<ReadonlyMap<string, string>> {
  const folder = folderOf(kind);
  const columns = new Map<string, string>();
  for (const file of await readdir(folder)) {
    const bytes = await readFile(new URL(file, folder));
    const name = nameOfBytes(bytes);
    await store.write(name, new Map([[DRAWING, bytes]]));
    columns.set(file.replace(/\.svg$/, ""), pictureColumn({ name, width: LARGE, height: LARGE }));
  }
  return columns;
}

/** Whether the store has the pictures: whether it has the one that is stored last. */
export async function hasPictures(store: PictureStore): Promise<boolean> {
  const folder = folderOf("donate-items");
  const file = (await readdir(folder)).at(-1) ?? "";
  return (await store.read(nameOfBytes(await readFile(new URL(file, folder))), DRAWING)) !== undefined;
}

function folderOf(kind: PicturedKind): URL {
  return new URL(`pictures/${kind}/`, SEEDS);
}
