/** What the search answers. Imports nothing of the server: scripts of the browser have their types from here. */

import { z } from "zod";
import { bySearchKind, KINDS, SEARCH_KINDS } from "../kinds/kinds.ts";

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

const hit = z
  .object({
    kind: z.enum(SEARCH_KINDS.map((kind) => KINDS[kind].one)),
    id: z.string(),
    name: z.string(),
    names: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "By locale; there where a record has several." }),
    category: z.string().nullable(),
    url: z.url(),
    image_url: z.url().nullable(),
    popularity: z.number().optional(),
    match: z.enum(MATCHES),
    without: z
      .array(z.string())
      .optional()
      .meta({ description: "Of a partial match: the words of the query that it does not have, normalised." }),
  })
  .meta({ id: "Hit" });

export type Hit = z.infer<typeof hit>;

const truncated = z
  .literal(true)
  .optional()
  .meta({ description: "The search would have taken too long: there may be better results, or more." });

export const globalSearchOutput = z.object({
  query: z.string(),
  truncated,
  ...bySearchKind(() => z.array(hit)),
});

export type SearchAnswer = z.infer<typeof globalSearchOutput>;

export const kindSearchOutput = z.object({
  query: z.string(),
  total: z.int().meta({ description: "Exact up to 1,000." }),
  total_is_lower_bound: z.literal(true).optional(),
  truncated,
  results: z.array(hit),
});
