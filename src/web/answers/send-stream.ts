import { Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import { whenClosed } from "../server/admission.ts";
import { encoders, preferredEncoding } from "./encoding.ts";

/**
 * Sends a response while it is built, so that memory does not depend on its size. A failure midway is logged as
 * `failure` and closes the connection, so that half a file does not look complete. A client that disconnects is no
 * failure.
 *
 * It writes to the response directly, because as the last stream of a pipeline the response would get seven more
 * listeners. Node would warn of a leak.
 */
export async function sendStream(
  req: Request,
  res: Response,
  streams: readonly [Readable, ...Transform[]],
  failure: string,
): Promise<void> {
  const signal = whenClosed(res);
  const written = new Writable({
    write: (chunk, _encoding, done) => void (res.write(chunk) ? done() : res.once("drain", done)),
    final: (done) => void res.end(done),
  });
  try {
    await pipeline([...streams, written], { signal });
  } catch (error) {
    if (!signal.aborted) req.log.error({ err: error }, failure);
    res.destroy();
  }
}

/** Sends CSV in the client's encoding, to be saved under a name; for the rest see `sendStream`. */
export async function sendCsv(
  req: Request,
  res: Response,
  { name, failure }: { name: string; failure: string },
  parts: AsyncIterable<string>,
): Promise<void> {
  const encoding = preferredEncoding(req);
  res.vary("Accept-Encoding").attachment(name).type("text/csv; charset=utf-8");
  if (encoding !== "identity") res.set("Content-Encoding", encoding);
  if (req.method === "HEAD") return void res.end();
  await sendStream(req, res, [Readable.from(parts), ...encoders(encoding)], failure);
}
