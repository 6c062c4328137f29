import type { OwnKindTraits } from "./traits.ts";

/** The operator's kinds, in the order of the vocabulary. */
let known: readonly OwnKindTraits[] = [];

/** Makes the operator's kinds known to this process, in place of those before (see src/words/vocabulary/own-kinds.ts). */
export function setOwnKinds(kinds: readonly OwnKindTraits[]): void {
  known = kinds;
}

export function ownKinds(): readonly OwnKindTraits[] {
  return known;
}
