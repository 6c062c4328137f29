/** The answers of the search API, the last ones kept, so that going back to what was typed before needs no request. */

const AT_MOST = 50;
const FRESH_MS = 300_000;

/** The site answered, but has no results now: too many requests, or no index yet. */
export class Unavailable extends Error {}

/** For one search box: `path` is the API's, `limit` the number of hits of each kind. */
export function createAnswers(path, limit) {
  const kept = new Map();
  let request = new AbortController();

  return {
    /** The answer to a query that was asked not long ago. */
    known(query) {
      const { found, at } = kept.get(query) ?? {};
      if (!found || performance.now() - at > FRESH_MS) return undefined;
      keep(query, found, at);
      return found;
    },

    /**
     * Asks, and ends what was asked before: an old answer can never come after a newer one. Undefined where this
     * question was superseded itself. Throws Unavailable, and TypeError where nothing answers.
     */
    async ask(query) {
      request.abort();
      request = new AbortController();
      const { signal } = request;
      try {
        const response = await fetch(`${path}?${new URLSearchParams({ q: query, limit })}`, { signal });
        if (!response.ok) throw new Unavailable(`answered ${response.status}`);
        const found = await response.json();
        if (signal.aborted) return undefined;
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
  function keep(query, found, at) {
    kept.delete(query);
    kept.set(query, { found, at });
    if (kept.size > AT_MOST) kept.delete(kept.keys().next().value);
  }
}
