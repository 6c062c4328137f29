import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { type DayCounts, KEPT } from "../records/counts/day-counts.ts";
import { isProgram } from "../records/visits/visits.ts";
import { splitLanguage } from "../web/request/locale.ts";
import { paths } from "../words/urls.ts";

/** No operator needs more different ones. */
const KNOWN_AT_MOST = 2_000;

/**
 * Searches without a hit, counted each time somebody makes one. The page of results is cached after the first time,
 * so its result is kept here until it is rebuilt.
 */
export class MissedSearches {
  readonly #counts: DayCounts;
  readonly #known = new LRUCache<string, true>({ max: KNOWN_AT_MOST });

  constructor(counts: DayCounts) {
    this.#counts = counts;
  }

  /** Says what a search of everything found. */
  tell(q: string, isMissed: boolean): void {
    const words = missedWords(q);
    if (words === undefined) return;
    if (isMissed) this.#known.set(words, true);
    else this.#known.delete(words);
  }

  /** Counts a request for the page of results if it finds nothing. */
  watch(req: IncomingMessage, res: ServerResponse): void {
    const words = req.method === "GET" ? wordsOf(req.url ?? "") : undefined;
    if (words === undefined || isProgram(req.headers["user-agent"])) return;
    res.once("finish", () => {
      const isAnswered = res.statusCode === 200 || res.statusCode === 304;
      if (isAnswered && this.#known.has(words)) this.#counts.note(KEPT.missed.prefix, words);
    });
  }
}

/** The words of a search of everything; undefined for other requests. */
function wordsOf(url: string): string | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  if (splitLanguage(path).path !== paths.search()) return undefined;
  const asked = new URLSearchParams(query);
  return asked.has("kind") ? undefined : missedWords(asked.get("q") ?? "");
}

/** In characters; what is longer was pasted, not looked for. */
const LONGEST = 60;
/** Addresses, and numbers that may be somebody's: what players look for has words. */
const PRIVATE = /@|:\/\/|www\.|\d{5,}|\d{1,3}(?:\.\d{1,3}){3}/;

/**
 * The key that counts a search without a hit, for operators: its words in lower case. Undefined for a query that
 * means nothing, or may reveal its author.
 */
export function missedWords(q: string): string | undefined {
  const words = q
    .normalize("NFKC")
    .toWellFormed()
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  const isTold = /\p{L}{2}/u.test(words) && [...words].length <= LONGEST && !PRIVATE.test(words);
  return isTold ? words : undefined;
}
