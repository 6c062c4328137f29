import type { RequestHandler, Response } from "express";
import { siteIsBusy } from "./errors.ts";
import { networkOf } from "./network.ts";
import { type PlaceLimits, Places } from "./places.ts";

/** One, and then a rest: cheap requests have two thirds of the process to themselves. */
const FEW: PlaceLimits = { running: 1, waiting: 24, waitMs: 5_000, restMs: 400 };

/**
 * An answer that has been going out for so long, in milliseconds, is as slow as its reader: it costs little from then
 * on, and must not keep its place from others for as long as it takes. Shorter than they wait, or they would be sent away.
 */
const SLOW_READER_MS = 3_000;

/** Lets a handler do its work only when there is a place for it. */
export type Admission = <Params>(handler: RequestHandler<Params>) => RequestHandler<Params>;

/**
 * Admission for one kind of dear work: of all requests whose handlers are wrapped by it one is at work at a time, a few
 * more wait a little, and the rest are answered 503 at once. What is cheap goes on beside them, whoever asks.
 *
 * A place is held until the handler is done: one whose client has gone away still works, and one that streams is done
 * when its answer has been read or its connection has ended, or counts as done after `slowReaderMs`.
 */
export function admitFew({
  slowReaderMs = SLOW_READER_MS,
  ...limits
}: Partial<PlaceLimits> & { slowReaderMs?: number } = {}): Admission {
  const places = new Places({ ...FEW, ...limits });
  return (handler) => async (req, res, next) => {
    const place = await places.take(networkOf(req.address), whenClosed(res));
    if (place === "gone") return;
    if (place === "busy") throw siteIsBusy();
    const timer = setTimeout(() => res.headersSent && place(), slowReaderMs);
    try {
      await handler(req, res, next);
    } finally {
      clearTimeout(timer);
      place();
    }
  };
}

/** Aborts when there is nobody to answer any more. */
function whenClosed(res: Pick<Response<unknown>, "once" | "closed">): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once("close", () => gone.abort());
  return gone.signal;
}
