import type { IncomingMessage, ServerResponse } from "node:http";
import { isbot } from "isbot";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { memoize } from "../../settings/memoize.ts";
import { splitLanguage } from "../../web/request/locale.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { entryId, isFixedPart } from "../../words/urls.ts";
import { type Count, type DayCounts, KEPT, listTopCounts } from "../counts/day-counts.ts";
import type { Pictured } from "../picture.ts";

/** A frequently viewed entry, with the number of views. */
interface VisitedEntry extends Pictured {
  readonly kind: CatalogueKind;
  readonly id: string;
  readonly name: string;
  readonly names: Record<string, string>;
  readonly category: string | null;
  readonly count: number;
}

/** Counts are written once a minute. */
const MAX_AGE_MS = 60_000;
const DAYS = 7;
/** Some entries may have been removed since. */
const SPARE = 3;

/** Cached, because there are few different ones, and the check looks for some hundred words. */
const isBot = memoize((agent: string) => isbot(agent));

/**
 * Counts a request for the page of an entry if it succeeds, including cached responses and 304. Leaves out programs
 * that identify themselves, and pages that a browser only prefetches.
 */
export function countVisits(
  counts: DayCounts,
  kinds: readonly CatalogueKind[],
): (req: IncomingMessage, res: ServerResponse) => void {
  const counted = new Set<string>(kinds);
  return (req, res) => {
    const entry = req.method === "GET" ? findEntry(req.url ?? "", counted) : undefined;
    if (!entry || isAhead(req) || isProgram(req.headers["user-agent"])) return;
    res.once("finish", () => {
      if (res.statusCode === 200 || res.statusCode === 304) counts.note(visitTopic(entry.kind), entry.id);
    });
  };
}

/** The topic of visits of entries of a kind. */
function visitTopic(kind: CatalogueKind): string {
  return KEPT.visits.prefix + kind;
}

function findEntry(url: string, kinds: ReadonlySet<string>): { kind: CatalogueKind; id: string } | undefined {
  const { path } = splitLanguage(url.split("?", 1)[0] ?? "");
  const [, kind = "", part = ""] = /^\/([^/]+)\/([^/]+)\/?$/.exec(path) ?? [];
  if (!kinds.has(kind)) return undefined;
  const decoded = decode(part);
  if (decoded === undefined || isFixedPart(kind as CatalogueKind, decoded)) return undefined;
  return { kind: kind as CatalogueKind, id: entryId(kind as CatalogueKind, decoded) };
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Source: https://wicg.github.io/nav-speculation/prefetch.html#sec-purpose-header */
function isAhead({ headers }: IncomingMessage): boolean {
  return /prefetch|prerender/.test(`${headers["sec-purpose"] ?? ""}${headers.purpose ?? ""}`);
}

/** The most viewed entries of the last seven days. Their ids are cached for a minute, their names are not. */
export class TopVisits {
  readonly #maxAgeMs: number;
  #top: readonly Count[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(maxAgeMs: number = MAX_AGE_MS) {
    this.#maxAgeMs = maxAgeMs;
  }

  async list(db: Db, limit: number): Promise<VisitedEntry[]> {
    const isOld = performance.now() - this.#readAt >= this.#maxAgeMs;
    if (isOld) {
      this.#top = await listTopCounts(db, { prefix: KEPT.visits.prefix, days: DAYS, limit: limit * SPARE });
      this.#readAt = performance.now();
    }
    return this.#top.length === 0 ? [] : listVisited(db, this.#top, limit);
  }
}

function listVisited(db: Db, top: readonly Count[], limit: number): Promise<VisitedEntry[]> {
  const entries = catalogueKinds().map(
    (kind) => `select '${kind}' as kind, id, name, names, category, picture, image from ${kind}`,
  );
  return selectRows<VisitedEntry>(
    db,
    `select entry.*, top.count
       from json_to_recordset(:top) as top (topic text, name text, count integer)
       join lateral (${entries.map((sql) => `${sql} where id = top.name`).join(" union all ")}) as entry
         on :prefix || entry.kind = top.topic
      order by top.count desc, top.topic, top.name limit :limit`,
    { top: JSON.stringify(top), prefix: KEPT.visits.prefix, limit },
  );
}

/** True for a program other than a browser, by its User-Agent, or without one. */
export function isProgram(agent: string | undefined): boolean {
  return agent === undefined || agent === "" || isBot(agent);
}
