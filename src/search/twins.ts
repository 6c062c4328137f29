/** The text that distinguishes results with the same look, on the results page and in the search box. */

import type { SearchableKind } from "../words/kinds/searchable-kinds.ts";

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
