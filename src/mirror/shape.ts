import { hash } from "node:crypto";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { RecordReader } from "../record-api/record.ts";

/** Increased whenever the API writes the same row of the catalogue in another way. */
const FORMAT = 1;

/**
 * What the records of a kind look like besides their rows: where addresses lead and which attributes are hidden. No
 * change of a record is listed when this changes, so who follows changes has to start again.
 */
export function shapeOf(kind: CatalogueKind, { site }: RecordReader): string {
  const words = site.vocabulary.of(kind);
  const hidden = words.keys().filter((key) => words.isHidden(key));
  return hash("sha256", JSON.stringify([FORMAT, site.baseUrl, hidden.toSorted()]), "hex").slice(0, 32);
}
