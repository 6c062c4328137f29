import type { RequestHandler } from "express";
import { DRAWING, readPictureAddress } from "../stored-picture.ts";
import type { PictureFiles } from "./picture-files.ts";

const FOREVER = "public, max-age=31536000, immutable";

/** Serves the files of pictures; to be mounted on `/pictures`. */
export function servePictures(files: PictureFiles): RequestHandler {
  return async (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const asked = readPictureAddress(req.path.slice(1));
    if (!asked || asked.file === DRAWING) return next();
    const { name, file } = asked;
    const found = await files.find(name, file);
    if (!found) return next();
    res.set({
      "Content-Type": `image/${found.file.slice(found.file.indexOf(".") + 1)}`,
      // A stand-in has to be revalidated.
      "Cache-Control": found.file === file ? FOREVER : "no-cache",
      ETag: `"${name}-${found.file}"`,
    });
    if (req.fresh) return void res.status(304).end();
    res.end(found.bytes);
  };
}
