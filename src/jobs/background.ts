import type { Knex } from "knex";
import { removeExpired } from "../accounts/queries.ts";
import { topUpDemoHistory } from "../demo/history-queries.ts";
import { notifyActiveDiscounts, removeOldNotices } from "../notifications/queries.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { rollUpHistory } from "../servers/history/roll-up.ts";
import type { Loop } from "./loop.ts";

/** What runs beside the requests, in `serve` and in `worker` alike. Each is one statement or safe to repeat. */
export function backgroundLoops(db: Knex): Loop[] {
  return [
    { name: "notify about discounts", everySeconds: 20, run: () => notifyActiveDiscounts(db) },
    { name: "remove expired sessions and counters", everySeconds: 600, run: () => removeExpired(db) },
    { name: "remove old notices", everySeconds: 600, run: () => removeOldNotices(db) },
    { name: "roll up the servers' history", everySeconds: 60, run: () => rollUpHistory(db) },
    { name: "continue the demo servers' history", everySeconds: 60, run: () => topUpDemoHistory(db) },
  ];
}

/** Keeps the searches of a process that answers requests up to date. */
export function searchLoop(search: LiveSearch): Loop {
  return { name: "notice catalogue changes", everySeconds: 0.5, run: () => search.noticeChanges() };
}
