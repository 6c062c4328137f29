import type { IncomingMessage, ServerResponse } from "node:http";
import { splitLanguage } from "../../web/request/locale.ts";
import { isProgram } from "../../web/server/programs.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { entryId, isFixedPart } from "../../words/urls.ts";
import { type DayCounts, KEPT } from "../counts/day-counts.ts";

/**
 * Counts a request for the page of an entry, if it is answered with one: also from memory, and also that an open page is
 * still true. Programs, as far as they say so, and pages that a browser only fetches ahead are left out.
 */
export function countVisits(
  counts: DayCounts,
  kinds: readonly CatalogueKind[],
): (req: IncomingMessage, res: ServerResponse) => void {
  const known = new Set<string>(kinds);
  return (req, res) => {
    const entry = req.method === "GET" ? findEntry(req.url ?? "", known) : undefined;
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
