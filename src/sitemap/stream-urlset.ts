import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Request, Response } from "express";
import { entityTag } from "../http/send.ts";
import { LANGUAGES } from "../i18n/languages.ts";
import type { SitemapUrl } from "./build-sitemap.ts";
import { SITEMAP_CACHE_CONTROL, SITEMAP_TYPE, urlsetStreams } from "./build-sitemap.ts";
import type { Urlset } from "./files.ts";

/** Part of every entity tag: raise it when the same records produce a different file. */
const FORMAT = 3;

/** Less than a millisecond of work, which is how long each turn delays other requests. */
const URLS_A_TURN = 20;

/**
 * Sends a urlset while reading it, so that memory use does not depend on its size; answers 304 without reading it if
 * the client has this version. A failure midway breaks the connection, so that half a file does not look complete.
 */
export async function streamUrlset(
  req: Request,
  res: Response,
  baseUrl: string,
  urlset: Urlset,
): Promise<void> {
  const gzip = req.acceptsEncodings(["gzip", "identity"]) === "gzip";
  const version = JSON.stringify([FORMAT, LANGUAGES, baseUrl, urlset.version]);
  res.vary("Accept-Encoding");
  res.set("Cache-Control", SITEMAP_CACHE_CONTROL);
  res.set("ETag", entityTag(version, gzip ? "gzip" : "identity"));
  if (urlset.lastModified) res.set("Last-Modified", urlset.lastModified.toUTCString());
  res.type(SITEMAP_TYPE);
  if (req.fresh) return void res.status(304).end();
  if (gzip) res.set("Content-Encoding", "gzip");
  if (req.method === "HEAD") return void res.end();
  const streams = [
    Readable.from(inTurns(urlset.urls)),
    ...urlsetStreams(baseUrl),
    ...(gzip ? [createGzip()] : []),
  ];
  await pipeline([...streams, res]).catch((error) => logBreak(req, error));
}

/** Yields to other work now and then; otherwise thousands of URLs would go through the streams in one go. */
async function* inTurns(urls: Urlset["urls"]): AsyncGenerator<SitemapUrl> {
  let count = 0;
  for await (const url of urls) {
    yield url;
    count += 1;
    if (count % URLS_A_TURN === 0) await turn();
  }
}

/** The pipeline has already destroyed the response. A client that disconnected is not an error. */
function logBreak(req: Request, error: NodeJS.ErrnoException): void {
  if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") req.log.error({ err: error }, "A sitemap broke off");
}
