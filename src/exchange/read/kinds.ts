import type { Translate } from "../../words/i18n/translate.ts";
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

/** What readers call the records of a kind. */
export function readKindName(kind: ReadKind, t: Translate): string {
  if (kind === "discounts") return t("docs.kind.discounts");
  if (kind === "donate-items") return t("docs.kind.donate_items");
  return t(`kinds.${kind}.many`);
}

/** The page of a record. */
export function recordPath(paths: Paths, kind: Exclude<ReadKind, "discounts">, id: string): string {
  if (isCatalogueKind(kind)) return paths.entry(kind, id);
  return kind === "servers" ? paths.server(id) : paths.donateItem(id);
}

/** The name of a missing record, for `notFound`. */
export function missingOf(kind: ReadKind) {
  if (isCatalogueKind(kind)) return "entry";
  return ({ servers: "server", "donate-items": "shop_item", discounts: "discount" } as const)[kind];
}
