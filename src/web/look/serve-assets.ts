import type { RequestHandler } from "express";
import { computeDigest, entityTag, preferredEncoding } from "../answers/encoding.ts";
import type { Assets } from "../assets/build.ts";
import { compress, isCompressible } from "../assets/compress.ts";

const FOREVER = "public, max-age=31536000, immutable";
const FOR_AN_HOUR = "public, max-age=3600";

/** Serves the files that pages load; to be mounted on `/assets`. */
export function serveAssets(assets: Assets): RequestHandler {
  return async (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const asset = assets.find(req.path.slice(1));
    if (!asset) return next();
    const encoding = isCompressible(asset) ? preferredEncoding(req) : "identity";
    res.set({
      "Content-Type": asset.type,
      "Cache-Control": asset.isForever ? FOREVER : FOR_AN_HOUR,
      Vary: "Accept-Encoding",
      ETag: entityTag(computeDigest(asset.body), encoding),
    });
    if (req.fresh) return void res.status(304).end();
    if (encoding === "identity") return void res.end(asset.body);
    const body = await compress(asset, encoding);
    res.set({ "Content-Encoding": encoding, "Content-Length": String(body.length) }).end(body);
  };
}
