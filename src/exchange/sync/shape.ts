import { hash } from "node:crypto";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { RecordLocale } from "../read/record.ts";

/** Increased whenever the API writes the same row of the catalogue in another way. */
const FORMAT = 1;

/**
 * The shape of a kind's records beyond their rows: where addresses lead and which attributes are hidden. A change of
 * it lists no record, so clients that follow changes have to start again.
 */
export function shapeOf(kind: CatalogueKind, { site }: RecordLocale): string {
  const words = site.vocabulary.of(kind);
  const hidden = words.keys().filter((key) => words.isHidden(key));
  return hash("sha256", JSON.stringify([FORMAT, site.baseUrl, hidden.toSorted()]), "hex").slice(0, 32);
}
