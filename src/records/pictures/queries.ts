import type { Db } from "../../db/connect.ts";
import { LARGE, type PictureFile } from "../stored-picture.ts";

export async function hasPicture(db: Db, name: string): Promise<boolean> {
  const row = await db("picture_files")
    .where({ name, file: `${LARGE}.webp` })
    .first("name");
  return row !== undefined;
}

export async function findPictureFile(db: Db, name: string, file: PictureFile): Promise<Buffer | undefined> {
  const row = await db<{ name: string; file: string; bytes: Buffer }>("picture_files")
    .where({ name, file })
    .first("bytes");
  return row?.bytes;
}

/** Adds files; those that are there stay, as the same name means the same content. */
export async function writePictureFiles(
  db: Db,
  name: string,
  files: ReadonlyMap<PictureFile, Buffer>,
): Promise<void> {
  const rows = [...files].map(([file, bytes]) => ({ name, file, bytes }));
  await db("picture_files").insert(rows).onConflict(["name", "file"]).ignore();
}
