/** Recent searches and opened entries of this device, newest first; empty if storage is blocked. */

export interface RecentSearch {
  q: string;
  path?: undefined;
}

/** The path is without a language. */
export interface RecentEntry {
  q?: undefined;
  path: string;
  name: string;
  names?: Record<string, string>;
  kind?: string;
}

export type Recent = RecentSearch | RecentEntry;

const KEY = "search-recent";
const AT_MOST = 8;

export function recent(): Recent[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isSound).slice(0, AT_MOST) : [];
  } catch {
    return [];
  }
}

export function rememberSearch(query: string) {
  const q = query.trim();
  if (q !== "") remember({ q });
}

/** An entry that a search found and somebody opens: a hit of the API, and the list that it was in. */
export function rememberEntry(
  { url, name, names }: Pick<RecentEntry, "name" | "names"> & { url: string },
  kind: string,
) {
  remember({ path: pathOf(url), name, names, kind });
}

/** The part of an address of this site behind its origin. */
export function pathOf(url: string): string {
  const { pathname, search, hash } = new URL(url, location.href);
  return pathname + search + hash;
}

export function forgetAll() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing to forget.
  }
}

/** Remembers entries opened from the results page. */
export function rememberOpened() {
  for (const type of ["click", "auxclick"]) {
    document.addEventListener(type, ({ target }) => {
      const hit = (target as Element).closest?.("[data-found] a")?.closest<HTMLElement>("[data-found]");
      if (hit) remember(JSON.parse(hit.dataset.found as string));
    });
  }
}

function remember(entry: Recent) {
  const isSame = (other: Recent) => other.q === entry.q && other.path === entry.path;
  const kept = [entry, ...recent().filter((other) => !isSame(other))].slice(0, AT_MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Blocked or full: the search works without it.
  }
}

/** Checks stored values, which other versions of the site may have written. */
function isSound(entry?: Partial<Record<string, unknown>>): boolean {
  if (entry?.q !== undefined) return typeof entry.q === "string" && entry.q !== "";
  return leadsHere(entry?.path) && typeof entry?.name === "string" && areNames(entry.names);
}

/** Parses like the browser, which drops tabs and reads backslashes as slashes. */
function leadsHere(path: unknown): boolean {
  if (typeof path !== "string" || !path.startsWith("/") || !URL.canParse(path, location.origin)) return false;
  return new URL(path, location.origin).origin === location.origin;
}

function areNames(names: unknown = {}): boolean {
  if (names === null || typeof names !== "object") return false;
  return Object.values(names).every((name) => typeof name === "string");
}
