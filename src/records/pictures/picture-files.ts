import type { RequestHandler } from "express";
import pLimit from "p-limit";
import { isRead } from "../../web/server/methods.ts";
import { DRAWING, LARGE, pictureAddress, readPictureAddress, type ServedFile } from "../stored-picture.ts";
import { makeFile } from "./make-sizes.ts";
import type { PictureStore } from "./store.ts";

const FOREVER = "public, max-age=31536000, immutable";

/** Encoding an AVIF takes a core for a tenth of a second. */
const MADE_AT_ONCE = 1;
/** While this many wait, requests for others get the large WebP, which exists. */
const WAITING_AT_MOST = 20;

interface FoundFile {
  /** The file found: a WebP may replace another one. */
  readonly file: ServedFile;
  readonly bytes: Buffer;
}

/** The files of pictures for requests. Creates missing ones at the first request, and stores them. */
export class PictureFiles {
  readonly #store: PictureStore;
  readonly #limit = pLimit(MADE_AT_ONCE);
  readonly #finding = new Map<string, Promise<FoundFile | undefined>>();

  constructor(store: PictureStore) {
    this.#store = store;
  }

  /** Finds a file, or creates it, once for concurrent requests. Undefined if there is no such picture. */
  find(name: string, file: ServedFile): Promise<FoundFile | undefined> {
    const address = pictureAddress(name, file);
    const finding =
      this.#finding.get(address) ?? this.#readOrMake(name, file).finally(() => this.#finding.delete(address));
    this.#finding.set(address, finding);
    return finding;
  }

  async #readOrMake(name: string, file: ServedFile): Promise<FoundFile | undefined> {
    const known = await this.#store.read(name, file);
    if (known) return { file, bytes: known };
    const drawing = await this.#store.read(name, DRAWING);
    if (drawing) return this.#make(name, file, drawing);
    // An import creates each WebP.
    if (file.endsWith(".webp")) return undefined;
    const webp = await this.#store.read(name, `${LARGE}.webp`);
    if (webp === undefined) return undefined;
    if (this.#limit.pendingCount >= WAITING_AT_MOST) return { file: `${LARGE}.webp`, bytes: webp };
    return this.#make(name, file, webp);
  }

  async #make(name: string, file: ServedFile, source: Buffer): Promise<FoundFile> {
    const bytes = await this.#limit(() => makeFile(file, source));
    await this.#store.write(name, new Map([[file, bytes]]));
    return { file, bytes };
  }
}

/** Serves the files of pictures; mount it on `/pictures`. */
export function servePictures(files: PictureFiles): RequestHandler {
  return async (req, res, next) => {
    if (!isRead(req)) return next();
    const asked = readPictureAddress(req.path.slice(1));
    if (!asked || asked.file === DRAWING) return next();
    const { name, file } = asked;
    const found = await files.find(name, file);
    if (!found) return next();
    res.set({
      "Content-Type": `image/${found.file.slice(found.file.indexOf(".") + 1)}`,
      // A substitute has to be revalidated.
      "Cache-Control": found.file === file ? FOREVER : "no-cache",
      ETag: `"${name}-${found.file}"`,
    });
    if (req.fresh) return void res.status(304).end();
    res.end(found.bytes);
  };
}
