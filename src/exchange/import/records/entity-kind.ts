import { quote, Refusal } from "../../../records/values.ts";
import { type EntityKind, singularOf, storedKinds } from "../../../words/kinds/kinds.ts";

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = storedKinds().find((kind) => kind === word || singularOf(kind) === word);
  const known = storedKinds().map(singularOf).join(", ");
  return meant ? singularOf(meant) : new Refusal(`must be one of ${known}, not ${quote(value)}`);
}
