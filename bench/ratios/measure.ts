import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { percentile } from "../report.ts";
import type { Line } from "./lines.ts";
import type { LoadResult } from "./load.ts";
import type { Setting } from "./measured-site.ts";

/** How many of a line's answers its baseline repeats. */
const ANSWERS = 500;
/** An answer that depends on the time (a grid of five minutes) may grow by a digit while it is measured. */
const ONE_ANSWER_APART = 0.002;
/** Where answers differ, their sample has another mean. */
const MANY_ANSWERS_APART = 0.1;
/** The grid of /api/data goes on every five minutes; a line takes about one. */
const GRID = { path: "/api/data", everyMs: 300_000, lineMs: 75_000 };
const FIRST_WARM_UP_S = 3;
const median = (values: readonly number[]) => percentile(values, 0.5);
const TINY = JSON.stringify({ text: "x".repeat(189) });

export interface Effort {
  readonly connections: number;
  readonly pairs: number;
  /** The duration of each measurement; a pair has two. */
  readonly seconds: number;
}

/** Medians over all pairs; each ratio is of the two that were measured one after the other. */
export interface Figures {
  readonly ratio: number;
  readonly perSecond: number;
  /** Site over baseline. */
  readonly p99Ratio: number;
  readonly bytes: number;
}

/** Makes a line's baseline send what the site sends; the result measures both. */
export async function prepareComparison(
  { site, baselines, headers, items, db, generator }: Setting,
  line: Line,
): Promise<(effort: Effort) => Promise<Figures>> {
  // Figures of servers are unknown after 15 minutes, and what is unknown is shorter.
  await db("servers").update({ checked_at: db.fn.now() });
  await delay(1500);
  await untilGridStays(line);
  const sent: Record<string, string> = { ...headers[line.caller] };
  const answers = await pLimit(4).map(line.paths.slice(0, ANSWERS), (path) => askOnce(site.port, path, sent));
  const [first] = answers;
  if (line.revalidates) {
    sent["If-None-Match"] = first?.etag ?? "";
    await baselines.tell([TINY], "application/json");
  } else {
    const bodies = answers.map(({ body }) => body);
    await baselines.tell(bodies, first?.contentType ?? "");
  }
  const status = line.revalidates ? 304 : 200;
  const paths = line.baseline === "row" ? items.map(({ id }) => `/${id}`) : ["/"];
  const orders = {
    site: { port: site.port, paths: line.paths, headers: sent, status },
    baseline: { port: baselines.ports[line.baseline], paths, headers: {}, status: 200 },
  };
  const asked = { site: 0, baseline: 0 };
  let isWarm = false;

  /** Continues in the paths where the previous measurement ended, so that cold paths stay cold. */
  async function measure(which: "site" | "baseline", share: { connections: number; seconds: number }) {
    const result = await generator.run({ ...orders[which], ...share, from: asked[which] });
    asked[which] += result.requests;
    return result;
  }

  return async ({ connections, pairs, seconds }) => {
    const results: { site: LoadResult; baseline: LoadResult }[] = [];
    for (let pair = 0; pair <= pairs; pair++) {
      // The first pair warms up and is not counted; what compiles and collects takes longest at the very first.
      const share = { connections, seconds: pair > 0 ? seconds : isWarm ? 1 : FIRST_WARM_UP_S };
      const both = { site: await measure("site", share), baseline: await measure("baseline", share) };
      isWarm = true;
      if (pair > 0) results.push(both);
    }
    const bytes = meanBytes(results.map((each) => each.site));
    compareBytes(line, bytes, meanBytes(results.map((each) => each.baseline)));
    return {
      ratio: median(results.map((each) => each.site.perSecond / each.baseline.perSecond)),
      perSecond: median(results.map((each) => each.site.perSecond)),
      p99Ratio: median(results.map((each) => each.site.p99 / each.baseline.p99)),
      bytes: Math.round(bytes),
    };
  };
}

/** @throws Error where the two do not send as many bytes */
function compareBytes({ name, revalidates, paths }: Line, site: number, baseline: number): void {
  const expected = revalidates ? TINY.length : site;
  const varies = paths.length > 1 || name === "nicknames";
  const apart = Math.abs(baseline - expected) / expected;
  if (apart > (varies ? MANY_ANSWERS_APART : ONE_ANSWER_APART) || (revalidates && site !== 0))
    throw new Error(`${name}: the site sends ${site} bytes and its baseline ${baseline}`);
}

/** Another grid has another ETag, which a line that revalidates does not ask for. */
async function untilGridStays({ paths }: Line): Promise<void> {
  if (paths[0] !== GRID.path) return;
  const leftMs = GRID.everyMs - (Date.now() % GRID.everyMs);
  if (leftMs < GRID.lineMs) await delay(leftMs + 1_000);
}

async function askOnce(port: number, path: string, headers: Record<string, string>) {
  const sent = { ...headers, "Accept-Encoding": "identity" };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: sent });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body.slice(0, 200)}`);
  const { headers: got } = answer;
  return { body, etag: got.get("etag") ?? "", contentType: got.get("content-type") ?? "" };
}

function meanBytes(results: readonly LoadResult[]): number {
  const all = results.reduce((sum, { requests }) => sum + requests, 0);
  return results.reduce((sum, { requests, bytesEach }) => sum + requests * bytesEach, 0) / all;
}
