import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { RequestHandler } from "express";
import type { Asset, Assets } from "../assets/build.ts";
import { digestOf, entityTag, preferredEncoding } from "../http/encoding.ts";

const FOREVER = "public, max-age=31536000, immutable";
const FOR_AN_HOUR = "public, max-age=3600";

const ENCODERS = {
  br: (body: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body: Buffer): Promise<Buffer> => promisify(gzip)(body, { level: 9 }),
};

type Encoding = keyof typeof ENCODERS;

/** Each file is compressed once per process, at the highest level. */
const compressed = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>();

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
      ETag: entityTag(digestOf(asset.body), encoding),
    });
    if (req.fresh) return void res.status(304).end();
    if (encoding === "identity") return void res.end(asset.body);
    const body = await compress(asset.body, encoding);
    res.set({ "Content-Encoding": encoding, "Content-Length": String(body.length) }).end(body);
  };
}

/** Compresses all files in advance, so that no request waits for it. */
export async function compressAssets(assets: Assets): Promise<void> {
  for (const asset of assets.all().values()) {
    if (isCompressible(asset)) await Promise.all([compress(asset.body, "br"), compress(asset.body, "gzip")]);
  }
}

function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  const known = compressed.get(body) ?? {};
  compressed.set(body, known);
  known[encoding] ??= ENCODERS[encoding](body);
  return known[encoding];
}

/** False for pictures and fonts, which are already compressed. */
function isCompressible({ type }: Asset): boolean {
  return /^text\/|svg|json/.test(type);
}
