import type { RequestHandler, Response } from "express";
import { siteIsBusy } from "./errors.ts";
import { networkOf } from "./network.ts";
import { type PlaceLimits, Places } from "./places.ts";

/** One, and then a rest: cheap requests have at least half of the process to themselves. */
const FEW: PlaceLimits = { running: 1, waiting: 24, waitMs: 5_000, restMs: 200 };

/** Lets a handler do its work only when there is a place for it. */
export type Admission = <Params>(handler: RequestHandler<Params>) => RequestHandler<Params>;

/**
 * Admission for one kind of dear work: a few of all requests whose handlers are wrapped by it are at work at a time, a
 * few more wait a little, and the rest are answered 503 at once. What is cheap goes on beside them, whoever asks.
 *
 * A place is held until the handler is done: one whose client has gone away still works, and one that streams is done
 * when its answer has been read or its connection has ended.
 */
export function admitFew(limits: Partial<PlaceLimits> = {}): Admission {
  const places = new Places({ ...FEW, ...limits });
  return (handler) => async (req, res, next) => {
    const place = await places.take(networkOf(req.address), whenClosed(res));
    if (place === "gone") return;
    if (place === "busy") throw siteIsBusy();
    try {
      await handler(req, res, next);
    } finally {
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
