import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { type CatalogueKind, catalogueKinds, isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { Paths } from "../../words/urls.ts";

/** What the API reads in addition to the catalogue. */
const OTHER_KINDS = ["servers", "donate-items", "discounts"] as const;

type OtherKind = (typeof OTHER_KINDS)[number];

/** The section of the site that can be switched off with a kind. */
const SECTION_OF: Record<OtherKind, string> = {
  servers: "servers",
  "donate-items": "shop",
  discounts: "discounts",
};

/** A kind of records that the API reads, as its paths and an import name it. */
export type ReadKind = CatalogueKind | OtherKind;

/** All kinds of records that the API reads. */
export function readKinds(): ReadKind[] {
  return [...catalogueKinds(), ...OTHER_KINDS.filter((kind) => !isHidden(SECTION_OF[kind]))];
}

/** The page of a record. */
export function recordPath(paths: Paths, kind: Exclude<ReadKind, "discounts">, id: string): string {
  if (isCatalogueKind(kind)) return paths.entry(kind, id);
  return kind === "servers" ? paths.server(id) : paths.donateItem(id);
}

/** What the API calls one record of the other kinds. */
export const NOUNS = { servers: "server", "donate-items": "shop_item", discounts: "discount" } as const;

/** The name of a missing record, for `notFound`. */
export function missingOf(kind: ReadKind) {
  return isCatalogueKind(kind) ? "entry" : NOUNS[kind];
}
