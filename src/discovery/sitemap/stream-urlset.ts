import { Readable, Transform } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Request, Response } from "express";
import type { AnswerScope } from "../../web/answers/answer-scope.ts";
import { computeDigest, encoders, entityTag, preferredEncoding } from "../../web/answers/encoding.ts";
import { keep, settledTime } from "../../web/answers/send.ts";
import { sendStream } from "../../web/answers/send-stream.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import type { SitemapUrl } from "./build-sitemap.ts";
import { SITEMAP_CACHE_CONTROL, SITEMAP_DEPENDS_ON, SITEMAP_TYPE, urlsetStreams } from "./build-sitemap.ts";
import type { Urlset } from "./files.ts";

/** Part of every entity tag: raise it if the same records produce a different file. */
const FORMAT = 4;

/**
 * How many pages are written in a turn: less than a millisecond of work, which is how long each turn delays other
 * requests.
 */
const URLS_A_TURN = 7;

/**
 * Sends a urlset while reading it, so that memory use does not depend on its size; answers 304 without reading it if
 * the client has this version.
 */
export async function streamUrlset(
  req: Request,
  res: Response,
  baseUrl: string,
  urlset: Urlset,
): Promise<void> {
  const encoding = preferredEncoding(req);
  const version = JSON.stringify([FORMAT, LANGUAGES, baseUrl, urlset.version]);
  res.vary("Accept-Encoding");
  res.set("Cache-Control", SITEMAP_CACHE_CONTROL);
  const digest = computeDigest(version);
  res.set("ETag", entityTag(digest, encoding));
  const modified = settledTime(urlset.lastModified);
  if (modified !== undefined) res.set("Last-Modified", modified);
  const isUnsettled = urlset.lastModified !== undefined && modified === undefined;
  res.type(SITEMAP_TYPE);
  if (req.fresh) return void res.status(304).end();
  if (encoding !== "identity") res.set("Content-Encoding", encoding);
  if (req.method === "HEAD") return void res.end();
  const made = [
    ...urlsetStreams(baseUrl),
    ...(req.answerScope?.canKeep ? [keepCopy(req.answerScope, res, digest, isUnsettled)] : []),
    ...encoders(encoding),
  ];
  await sendStream(req, res, [Readable.from(inTurns(urlset.urls)), ...made], "A sitemap broke off");
}

/** Larger files are not cached, because few other responses would fit. */
const KEPT_BYTES = 24 * 1024 * 1024;

/** Passes a file on and, once it is complete, caches it. */
function keepCopy(build: AnswerScope, res: Response, digest: string, isTimeSensitive: boolean): Transform {
  const how = { dependsOn: SITEMAP_DEPENDS_ON, cacheControl: SITEMAP_CACHE_CONTROL, isTimeSensitive };
  let chunks: Buffer[] = [];
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > KEPT_BYTES) chunks = [];
      else chunks.push(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      const plain = Buffer.concat(chunks);
      const made = { plain, digest, encoded: { encoding: "identity", body: plain } } as const;
      if (bytes <= KEPT_BYTES) keep(build, res, how, made);
      done();
    },
  });
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
