import { access, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Db } from "../../db/connect.ts";
import { writeWhole } from "../../settings/write-whole.ts";
import { LARGE, type PictureFile, pictureAddress } from "../stored-picture.ts";

/** The store of pictures' files. A file never changes, because its name derives from its content. */
export interface PictureStore {
  /** True if all sizes of a picture are stored. */
  has(name: string): Promise<boolean>;
  read(name: string, file: PictureFile): Promise<Buffer | undefined>;
  write(name: string, files: ReadonlyMap<PictureFile, Buffer>): Promise<void>;
}

/** Pictures below a directory that every serving process must share. */
export class FolderStore implements PictureStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The large one is written last. */
  async has(name: string): Promise<boolean> {
    return access(this.#pathOf(name, `${LARGE}.webp`)).then(
      () => true,
      () => false,
    );
  }

  async read(name: string, file: PictureFile): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#pathOf(name, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async write(name: string, files: ReadonlyMap<PictureFile, Buffer>): Promise<void> {
    await mkdir(this.#folderOf(name), { recursive: true });
    const largeLast = [...files].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    for (const [file, bytes] of largeLast) {
      await writeWhole(this.#pathOf(name, file), bytes);
    }
  }

  /** 256 folders, because a directory of 80,000 files is slow to list. */
  #folderOf(name: string): string {
    return path.join(this.#root, name.slice(0, 2));
  }

  #pathOf(name: string, file: PictureFile): string {
    return path.join(this.#folderOf(name), pictureAddress(name, file));
  }
}

/** Pictures in the database, for processes that share nothing else. */
export class DatabaseStore implements PictureStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async has(name: string): Promise<boolean> {
    const row = await this.#db("picture_files")
      .where({ name, file: `${LARGE}.webp` })
      .first("name");
    return row !== undefined;
  }

  async read(name: string, file: PictureFile): Promise<Buffer | undefined> {
    const row = await this.#db<{ name: string; file: string; bytes: Buffer }>("picture_files")
      .where({ name, file })
      .first("bytes");
    return row?.bytes;
  }

  /** Existing files stay, because the same name means the same content. */
  async write(name: string, files: ReadonlyMap<PictureFile, Buffer>): Promise<void> {
    const rows = [...files].map(([file, bytes]) => ({ name, file, bytes }));
    await this.#db("picture_files").insert(rows).onConflict(["name", "file"]).ignore();
  }
}

/** Creates the store that the settings select. */
export function createPictureStore(
  { pictures, dataDir }: { pictures: "files" | "database"; dataDir: string },
  db: Db,
): PictureStore {
  return pictures === "database" ? new DatabaseStore(db) : new FolderStore(path.join(dataDir, "pictures"));
}
