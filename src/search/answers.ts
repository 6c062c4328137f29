/** What the search answers. Imports nothing of the server: scripts of the browser have their types from here. */

import { z } from "zod";
import { API_SEARCH_KINDS, byApiSearchKind, type CatalogueKind, kindsWith } from "../words/kinds/kinds.ts";
import { type IndexedKind, searchableSingular } from "../words/kinds/searchable-kinds.ts";

/** The classes of matches: as typed, best first, then how a query was changed to match. */
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
export type Match = (typeof MATCHES)[number];

/** What records of `kinds` are answered as. */
function hitOf(kinds: IndexedKind[]) {
  return z.object({
    kind: z.enum(kinds.map(searchableSingular)),
    id: z.string(),
    name: z.string(),
    names: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "By locale; present if a record has several." }),
    category: z.string().nullable().meta({
      description: "The record's own value, the same in every language; pages show its label.",
    }),
    url: z.url(),
    image_url: z.url().nullable(),
    popularity: z.number().optional(),
    match: z.enum(MATCHES),
    without: z
      .array(z.string())
      .optional()
      .meta({ description: "For a partial match: the missing words of the query, normalised." }),
  });
}

const hit = hitOf(API_SEARCH_KINDS).meta({ id: "Hit" });

export type Hit = z.infer<typeof hit>;

export const globalSearchOutput = z.object({
  query: z.string(),
  ...byApiSearchKind(() => z.array(hit)),
});

const serverFigures = z.object({
  status: z.enum(["online", "offline", "unknown"]),
  online: z.int().nullable(),
  bots: z.int().nullable(),
  queue: z.int().nullable(),
  max_online: z.int().nullable(),
});

/** The current figures of a server, as `/api/online` has them. */
export type ServerFigures = z.infer<typeof serverFigures>;

const shopOffer = z.object({
  price: z.string().nullable().meta({ description: "The current price, with a running discount." }),
  currency: z.string().nullable(),
  price_before: z.string().nullable().meta({ description: "Present while a discount lowers the price." }),
  discount_ends_at: z.iso.datetime().nullable(),
});

/** What an item of the shop costs now. */
export type ShopOffer = z.infer<typeof shopOffer>;

/** Everything that the site's search finds: the operator's own kinds, servers, the shop and pages too. */
export function fullSearchOutput() {
  const kinds = kindsWith("isSearched");
  const hits = z.array(hitOf(kinds).meta({ id: "CatalogueHit" }));
  const ofKinds = Object.fromEntries(kinds.map((kind) => [kind, hits])) as Record<CatalogueKind, typeof hits>;
  return z.object({
    query: z.string(),
    ...ofKinds,
    servers: z.array(hitOf(["servers"]).extend(serverFigures.shape).meta({ id: "ServerHit" })),
    shop: z.array(hitOf(["shop"]).extend(shopOffer.shape).meta({ id: "ShopHit" })),
    pages: z.array(hitOf(["pages"]).meta({ id: "PageHit" })),
  });
}

/** The answer to the search box. */
export type SearchAnswer = z.infer<ReturnType<typeof fullSearchOutput>>;

export const kindSearchOutput = z.object({
  query: z.string(),
  total: z.int().meta({ description: "Exact up to 100, or up to the end of the requested range." }),
  total_is_lower_bound: z.literal(true).optional(),
  results: z.array(hit),
});
