import { API_SEARCH_KINDS } from "../words/kinds/kinds.ts";
import type { SearchableKind } from "../words/kinds/searchable-kinds.ts";

/** How groups of results are laid out, on the results page and in the search box. */

/** The suggestions of all groups together, about as many as a screen has room for. */
const SUGGESTIONS = 15;
const MOST = 5;
const LEAST = 2;

interface Result {
  readonly match: string;
  readonly without?: readonly string[] | undefined;
}

/**
 * Orders the groups as the kinds. If a group has exactly the typed name, and no kind of `/api/search` has, that group
 * goes first: a query `servers` means that page. If no result has all words, the group with the most telling ones goes
 * first: of `red infernus`, what is called Infernus.
 */
export function orderGroups<
  Group extends { readonly kind: SearchableKind; readonly results: readonly Result[] },
>(groups: readonly Group[]): Group[] {
  const all = groups.flatMap(({ results }) => results);
  if (all.length > 0 && all.every(({ match }) => match === "partial")) {
    const tells = ({ results: [best] }: Group) => (best ? tellingOf(best, all) : 0);
    return groups.toSorted((a, b) => tells(b) - tells(a));
  }
  const isNamed = ({ results }: Group) => results[0]?.match === "exact";
  const named = groups.filter(isNamed);
  if (named.some(({ kind }) => API_SEARCH_KINDS.some((first) => first === kind))) return [...groups];
  return [...named, ...groups.filter((group) => !isNamed(group))];
}

/** How much the words of a partial match tell: a word tells more the fewer results have it. */
function tellingOf(result: Result, all: readonly Result[]): number {
  const has = ({ without = [] }: Result, word: string) => !without.includes(word);
  const words = [...new Set(all.flatMap(({ without = [] }) => without))].filter((word) => has(result, word));
  return words.reduce((sum, word) => sum + 1 / all.filter((other) => has(other, word)).length, 0);
}

/** How many suggestions each of so many groups has room for, so that none pushes another out of sight. */
export function suggestionsEach(groups: number): number {
  return Math.max(LEAST, Math.min(MOST, Math.floor(SUGGESTIONS / Math.max(1, groups))));
}

/** The text that distinguishes results with the same look, on the results page and in the search box. */

interface Shown {
  readonly kind: SearchableKind;
  readonly id: string;
  /** The name that the page shows first. */
  readonly name: string;
  readonly category: string | null;
}

/** The text beside a name that others have too. */
export interface Difference {
  /** Another kind has the name. */
  readonly byKind: boolean;
  /** Another record of its kind has the name and the category. */
  readonly byId: boolean;
}

/** Finds the text that a result needs beside its name, among all shown results. */
export function tellApart(all: readonly Shown[]): (one: Shown) => Difference {
  const named = new Map<string, Shown[]>();
  for (const each of all) {
    const name = each.name.toLowerCase();
    named.set(name, [...(named.get(name) ?? []), each]);
  }
  return ({ kind, id, name, category }) => {
    const others = named.get(name.toLowerCase()) ?? [];
    return {
      byKind: others.some((other) => other.kind !== kind),
      byId: others.some((other) => other.kind === kind && other.id !== id && other.category === category),
    };
  };
}
