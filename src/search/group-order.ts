/** How groups of results are laid out, on the results page and in the search box. */

import { API_SEARCH_KINDS } from "../words/kinds/kinds.ts";
import type { SearchableKind } from "../words/kinds/searchable-kinds.ts";

/** The suggestions of all groups together, about as many as a screen has room for. */
const SUGGESTIONS = 15;
const MOST = 5;
const LEAST = 2;

/**
 * The order of the groups: the order of the kinds. But if a group has exactly the typed name (`bestMatch` is `exact`)
 * and no kind of `/api/search` has, that group goes first: a query `servers` means that page.
 */
export function orderGroups<
  Group extends { readonly kind: SearchableKind; readonly bestMatch: string | undefined },
>(groups: readonly Group[]): Group[] {
  const isNamed = ({ bestMatch }: Group) => bestMatch === "exact";
  const named = groups.filter(isNamed);
  if (named.some(({ kind }) => API_SEARCH_KINDS.some((first) => first === kind))) return [...groups];
  return [...named, ...groups.filter((group) => !isNamed(group))];
}

/** How many suggestions each of so many groups has room for, so that none pushes another out of sight. */
export function suggestionsEach(groups: number): number {
  return Math.max(LEAST, Math.min(MOST, Math.floor(SUGGESTIONS / Math.max(1, groups))));
}
