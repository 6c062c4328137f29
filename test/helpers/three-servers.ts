import { beforeAll } from "vitest";
import type { BrowserSite } from "./browser.ts";
import { addRecords, addServer, BUCKET_MS, bucketBefore } from "./servers.ts";

/** When the site's three servers were measured. */
interface ThreeServers {
  /** The beginning of a bucket of five minutes, counted from the first measurement. */
  at(place: number): Date;
}

/**
 * The site with three servers that it polls, all online: Alpha has a history (see `at`), with an outage of ten minutes
 * in it; Beta is full and has a queue; Gamma tells no queue.
 */
export function useThreeServers(site: BrowserSite): ThreeServers {
  let start: number;
  const at = (place: number) => new Date(start + place * BUCKET_MS);
  beforeAll(async () => {
    const { db } = site.database;
    await db("servers").delete();
    const checked_at = new Date();
    const common = { status: "online", checked_at, last_online_at: checked_at, adapter: "gamedig" };
    const alpha = { name: "Alpha", game: "MTA", language: "pl", address: "127.0.0.1:22003" };
    const beta = { name: "Beta", game: "SA-MP", language: "en" };
    const gamma = { name: "Gamma", game: "SA-MP", language: "ru" };
    await addServer(db, { id: "a", ...alpha, online: 5, queue: 0, max_online: 50, ...common });
    await addServer(db, { id: "b", ...beta, online: 30, queue: 2, max_online: 30, ...common });
    await addServer(db, { id: "c", ...gamma, online: 12, max_online: 40, ...common });
    start = await bucketBefore(db, 6);
    await addRecords(db, "a", [
      ...Array.from({ length: 30 }, (_, place) => ({ at: at(place), online: 10 + place, queue: 3 })),
      { at: at(31), status: "offline" as const },
      { at: at(32), status: "offline" as const },
      { at: at(33), online: 50, queue: null },
    ]);
  });
  return { at };
}
