import { catalogueKinds, type EntityKind, entityKinds, wordOf } from "../../kinds/kinds.ts";
import { quote, Refusal } from "../../records/values.ts";

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = catalogueKinds().find((kind) => kind === word || wordOf(kind) === word);
  const known = entityKinds().join(", ");
  return meant ? wordOf(meant) : new Refusal(`must be one of ${known}, not ${quote(value)}`);
}
