import { catalogueKinds } from "../../words/kinds/kinds.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";

/** For statements over several kinds: which attribute colours the names of each, as `:tint_items`; blank for none. */
export function tintBindings(words: Vocabulary | undefined): Record<string, string> {
  return Object.fromEntries(catalogueKinds().map((kind) => [`tint_${kind}`, words?.of(kind).tint ?? ""]));
}
