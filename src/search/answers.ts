/** What the search answers. Imports nothing of the server: scripts of the browser have their types from here. */

import { z } from "zod";
import {
  API_SEARCH_KINDS,
  byApiSearchKind,
  type CatalogueKind,
  kindsWith,
  type SearchKind,
  wordOf,
} from "../kinds/kinds.ts";

/** What answered: the classes of a match, best first. */
const MATCHES = [
  "exact",
  "prefix",
  "word",
  "form",
  "substring",
  "fuzzy",
  "layout",
  "transliteration",
  "partial",
] as const;

/** What entries of `kinds` are answered as. */
function hitOf(kinds: CatalogueKind[]) {
  return z.object({
    kind: z.enum(kinds.map(wordOf)),
    id: z.string(),
    name: z.string(),
    names: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "By locale; there where a record has several." }),
    category: z.string().nullable().meta({
      description: "As the record has it, in every language; pages show what readers of a language call it.",
    }),
    url: z.url(),
    image_url: z.url().nullable(),
    popularity: z.number().optional(),
    match: z.enum(MATCHES),
    without: z
      .array(z.string())
      .optional()
      .meta({ description: "Of a partial match: the words of the query that it does not have, normalised." }),
  });
}

const hit = hitOf(API_SEARCH_KINDS).meta({ id: "Hit" });

export type Hit = z.infer<typeof hit>;

const truncated = z
  .literal(true)
  .optional()
  .meta({ description: "The search would have taken too long: there may be better results, or more." });

export const globalSearchOutput = z.object({
  query: z.string(),
  truncated,
  ...byApiSearchKind(() => z.array(hit)),
});

/** The same of all kinds that are searched, the operator's own among them. */
export function catalogueSearchOutput() {
  const kinds = kindsWith("isSearched");
  const hits = z.array(hitOf(kinds).meta({ id: "CatalogueHit" }));
  const ofKinds = Object.fromEntries(kinds.map((kind) => [kind, hits])) as Record<SearchKind, typeof hits>;
  return z.object({ query: z.string(), truncated, ...ofKinds });
}

/** What the search box is answered: of the operator's kinds too, where there are any. */
export type SearchAnswer = z.infer<ReturnType<typeof catalogueSearchOutput>>;

export const kindSearchOutput = z.object({
  query: z.string(),
  total: z.int().meta({ description: "Exact up to 1,000." }),
  total_is_lower_bound: z.literal(true).optional(),
  truncated,
  results: z.array(hit),
});
