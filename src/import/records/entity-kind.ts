import { CATALOGUE_KINDS, type EntityKind, KINDS } from "../../kinds/kinds.ts";
import { quote, Refusal } from "../../records/values.ts";

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = CATALOGUE_KINDS.find((kind) => kind === word || KINDS[kind].one === word);
  const known = CATALOGUE_KINDS.map((kind) => KINDS[kind].one).join(", ");
  return meant ? KINDS[meant].one : new Refusal(`must be one of ${known}, not ${quote(value)}`);
}
