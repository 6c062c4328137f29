/**
 * The entries chosen for comparison, by kind (`items`, `vehicles`). All tabs share them, because readers open entries
 * in tabs of their own. Forgotten a day after the last change.
 */

/** An entry to compare. */
export interface Chosen {
  id: string;
  name: string;
}

export const AT_MOST = 4;

const KEPT_MS = 86_400_000;

/** Without storage, a choice lasts as long as the page. */
const unstored = new Map<string, string>();

/** The stored choice; invalid and repeated entries are dropped. */
export function readChoice(kind: string): Chosen[] {
  const { at, chosen } = parse(load(localStore, keyOf(kind)));
  const isFresh = Math.abs(Date.now() - (at as number)) < KEPT_MS;
  const sound = isFresh && Array.isArray(chosen) ? chosen.filter(isSound) : [];
  return [...new Map(sound.map(({ id, name }) => [id, { id, name }])).values()].slice(0, AT_MOST);
}

export function writeChoice(kind: string, chosen: readonly Chosen[]) {
  store(localStore, keyOf(kind), JSON.stringify({ at: Date.now(), chosen }));
}

/** Runs `run` when another tab changes the choice. */
export function whenChosenElsewhere(run: () => void) {
  addEventListener("storage", ({ key }) => {
    if (key === null || key.startsWith("compare.")) run();
  });
}

/** Keeps the view of a kind's list (page, filters, order) for this tab. */
export function rememberList(kind: string) {
  store(tabStore, `${keyOf(kind)}.list`, location.search);
}

/** That view as a query string; empty for the whole list. */
export function rememberedList(kind: string): string {
  const query = load(tabStore, `${keyOf(kind)}.list`);
  return query?.startsWith("?") ? query : "";
}

// Reading the property itself throws where storage is blocked.
const localStore = () => localStorage;
const tabStore = () => sessionStorage;

function keyOf(kind: string): string {
  return `compare.${kind}`;
}

function load(storage: () => Storage, key: string): string | null {
  try {
    return unstored.get(key) ?? storage().getItem(key);
  } catch {
    return null;
  }
}

function store(storage: () => Storage, key: string, value: string) {
  try {
    storage().setItem(key, value);
    unstored.delete(key);
  } catch {
    unstored.set(key, value);
  }
}

function parse(stored: string | null): { at?: unknown; chosen?: unknown } {
  try {
    return Object(JSON.parse(stored as string));
  } catch {
    return {};
  }
}

/** An id as the site's addresses take it, and a name to show. */
function isSound(one?: Record<string, unknown>): one is Record<string, unknown> & Chosen {
  const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  return isText(one?.id) && one.id.length <= 200 && isText(one.name);
}
