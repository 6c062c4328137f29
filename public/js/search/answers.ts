/** The answers of the search API, the last ones kept, so that going back to what was typed before needs no request. */

import type { Hit, SearchAnswer } from "../../../src/search/answers.ts";
import { KINDS } from "./list.ts";

const AT_MOST = 50;
const FRESH_MS = 300_000;
/** Figures of servers and prices are of the moment. */
const FRESH_FIGURES_MS = 10_000;

/** There is an answer, but no results in it: too many requests, no index yet, or not from the search at all. */
export class Unavailable extends Error {}

/** For one search box: `path` is the API's, `limit` the number of hits of each kind. */
export function createAnswers(path: string, limit: number) {
  const kept = new Map<string, { found: SearchAnswer; at: number }>();
  let request = new AbortController();

  return {
    /** The cached answer to a recent query. */
    known(query: string): SearchAnswer | undefined {
      const last = kept.get(query);
      if (!last || performance.now() - last.at > freshFor(last.found)) return undefined;
      keep(query, last.found, last.at);
      return last.found;
    },

    /**
     * Sends a query and aborts the previous one, so that an old answer never comes after a newer one. Returns
     * undefined if a newer query has replaced this one. Throws Unavailable, and TypeError if nothing answers.
     */
    async ask(query: string): Promise<SearchAnswer | undefined> {
      request.abort();
      request = new AbortController();
      const { signal } = request;
      try {
        const asked = { q: query, limit: `${limit}`, lang: document.documentElement.lang };
        const response = await fetch(`${path}?${new URLSearchParams(asked)}`, { signal });
        if (!response.ok) throw new Unavailable(`answered ${response.status}`);
        const found = parse(await response.text());
        if (signal.aborted) return undefined;
        if (!isAnswer(found)) throw new Unavailable("answered something else");
        keep(query, found, performance.now());
        return found;
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },

    cancel() {
      request.abort();
    },
  };

  /** The one that was used last is the last to go. */
  function keep(query: string, found: SearchAnswer, at: number) {
    kept.delete(query);
    kept.set(query, { found, at });
    if (kept.size > AT_MOST) kept.delete(kept.keys().next().value as string);
  }
}

function freshFor({ servers, shop }: SearchAnswer): number {
  return servers.length > 0 || shop.length > 0 ? FRESH_FIGURES_MS : FRESH_MS;
}

function parse(body: string): Partial<SearchAnswer> | null | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A proxy between the viewer and the site may answer in its place. */
function isAnswer(found: Partial<SearchAnswer> | null | undefined): found is SearchAnswer {
  return KINDS.every((kind) => {
    const hits: Partial<Hit>[] | undefined = found?.[kind];
    return Array.isArray(hits) && hits.every(isHit);
  });
}

function isHit(hit?: Partial<Hit>): boolean {
  return [hit?.id, hit?.name, hit?.url].every((value) => typeof value === "string");
}
