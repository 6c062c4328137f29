import type { RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import {
  LARGE,
  type MadeLater,
  type PictureFile,
  pictureAddress,
  readPictureAddress,
} from "../records/stored-picture.ts";
import { makeLater } from "./make-sizes.ts";
import type { PictureStore } from "./store.ts";

const FOREVER = "public, max-age=31536000, immutable";
/** Making one takes a core for a tenth of a second. */
const MADE_AT_ONCE = 1;
/** More that ask at once get the WebP, which is there. */
const WAITING_AT_MOST = 20;

/** Serves the files of pictures; to be mounted on `/pictures`. */
export function servePictures(store: PictureStore): RequestHandler {
  const readOrMake = createMaker(store);
  return async (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const asked = readPictureAddress(req.path.slice(1));
    if (!asked) return next();
    const { name, file } = asked;
    const found = isMadeLater(file)
      ? await readOrMake(name, file)
      : { file, bytes: await store.read(name, file) };
    if (found?.bytes === undefined) return next();
    res.set({
      "Content-Type": `image/${found.file.slice(found.file.indexOf(".") + 1)}`,
      // One that stands in for another is asked for again.
      "Cache-Control": found.file === file ? FOREVER : "no-cache",
      ETag: `"${name}-${found.file}"`,
    });
    if (req.fresh) return void res.status(304).end();
    res.end(found.bytes);
  };
}

function isMadeLater(file: PictureFile): file is MadeLater {
  return !file.endsWith(".webp");
}

/** Reads files that are made later, and makes those that nobody has asked for yet; WebP while too many are being made. */
function createMaker(store: PictureStore) {
  const limit = pLimit(MADE_AT_ONCE);
  const making = new LRUCache<string, Promise<Buffer>>({ max: 2 * WAITING_AT_MOST });
  return async (
    name: string,
    file: MadeLater,
  ): Promise<{ file: PictureFile; bytes: Buffer | undefined } | undefined> => {
    const known = await store.read(name, file);
    if (known) return { file, bytes: known };
    const webp = await store.read(name, `${LARGE}.webp`);
    if (webp === undefined) return undefined;
    const address = pictureAddress(name, file);
    if (!making.has(address) && limit.pendingCount >= WAITING_AT_MOST)
      return { file: `${LARGE}.webp`, bytes: webp };
    const made = making.get(address) ?? limit(() => makeLater(file, webp));
    making.set(address, made);
    try {
      const bytes = await made;
      await store.write(name, new Map([[file, bytes]]));
      return { file, bytes };
    } finally {
      making.delete(address);
    }
  };
}
