import { quote, Refusal } from "../../../records/values.ts";
import { type EntityKind, storedKinds, wordOf } from "../../../words/kinds/kinds.ts";

/** The kind of an entry by its noun in the singular or the plural. */
export function readEntityKind(value: unknown): EntityKind | Refusal {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  const meant = storedKinds().find((kind) => kind === word || wordOf(kind) === word);
  const known = storedKinds().map(wordOf).join(", ");
  return meant ? wordOf(meant) : new Refusal(`must be one of ${known}, not ${quote(value)}`);
}
