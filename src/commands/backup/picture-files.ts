import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { pictureAddress, readPictureAddress } from "../../records/stored-picture.ts";

/** A file of a picture by its path below `pictures`. */
export interface PictureContent {
  readonly name: string;
  readonly content: Buffer;
}

/** Rows that are read at once. */
const PAGE = 20;

/** All files of the pictures below a folder, one after the other. */
export async function* readPictureFolder(root: string): AsyncGenerator<PictureContent> {
  for (const folder of await listFolder(root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const file of await listFolder(path.join(root, folder))) {
      // Files that are being written have another ending.
      if (!readPictureAddress(file)) continue;
      yield { name: `${folder}/${file}`, content: await readFile(path.join(root, folder, file)) };
    }
  }
}

/** All files of the pictures in a database, as its connection sees them. */
export async function* readPictureTable(connection: pg.Client): AsyncGenerator<PictureContent> {
  for (let last = { name: "", file: "" }; ; ) {
    const { rows } = await connection.query(
      "select name, file, bytes from picture_files where (name, file) > ($1, $2) order by name, file limit $3",
      [last.name, last.file, PAGE],
    );
    for (const { name, file, bytes } of rows)
      yield { name: `${name.slice(0, 2)}/${pictureAddress(name, file)}`, content: bytes };
    if (rows.length < PAGE) return;
    last = rows.at(-1);
  }
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
