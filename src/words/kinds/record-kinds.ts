import type { Translate } from "../i18n/translate.ts";
import { type CatalogueKind, isCatalogueKind } from "./kinds.ts";

/** A kind of records of the API, as its paths and an import name it. */
export type RecordKind = CatalogueKind | "servers" | "donate-items" | "discounts" | "relations";

/** What readers call the records of a kind. */
export function recordsName(kind: RecordKind, t: Translate): string {
  if (isCatalogueKind(kind) || kind === "servers") return t(`kinds.${kind}.many`);
  return t(kind === "donate-items" ? "docs.kind.donate_items" : `docs.kind.${kind}`);
}
