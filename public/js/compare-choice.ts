/**
 * What the reader has chosen to compare, of each kind (`items`, `vehicles`): one choice in all tabs, because whoever
 * compares opens entries in tabs of their own. A day after the last change it is forgotten.
 */

/** An entry to compare. */
export interface Chosen {
  id: string;
  name: string;
}

export const AT_MOST = 4;

const KEPT_MS = 86_400_000;

/** Where storage is closed or full, a choice lasts as long as the page. */
const unstored = new Map<string, string>();

/** What is chosen, as `{ id, name }`: of what is stored only what can be ours, each id once. */
export function readChoice(kind: string): Chosen[] {
  const { at, chosen } = parse(load(localStore, keyOf(kind)));
  const isFresh = Math.abs(Date.now() - (at as number)) < KEPT_MS;
  const sound = isFresh && Array.isArray(chosen) ? chosen.filter(isSound) : [];
  return [...new Map(sound.map(({ id, name }) => [id, { id, name }])).values()].slice(0, AT_MOST);
}

export function writeChoice(kind: string, chosen: readonly Chosen[]) {
  store(localStore, keyOf(kind), JSON.stringify({ at: Date.now(), chosen }));
}

/** Runs it when the choice was changed on another tab. */
export function whenChosenElsewhere(run: () => void) {
  addEventListener("storage", ({ key }) => {
    if (key === null || key.startsWith("compare.")) run();
  });
}

/** Keeps for this tab which part of a kind's list is shown: page, filters, order. */
export function rememberList(kind: string) {
  store(tabStore, `${keyOf(kind)}.list`, location.search);
}

/** That part, as the query of an address; empty: all of the list. */
export function rememberedList(kind: string): string {
  const query = load(tabStore, `${keyOf(kind)}.list`);
  return query?.startsWith("?") ? query : "";
}

// Even to name a storage throws where it is closed.
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
