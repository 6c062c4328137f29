import type { OwnKindTraits } from "../kinds/traits.ts";
import { readOwnKinds } from "./own-kinds.ts";
import { type FoundMistake, placeMistakes } from "./places.ts";
import { type ReadVocabulary, readVocabulary } from "./read.ts";

/** What speaks against the kinds of a vocabulary elsewhere than in it: in the database. */
export type FindKindMistakes = (kinds: readonly OwnKindTraits[]) => Promise<readonly FoundMistake[]>;

/** Reads a vocabulary and holds it to everything that a start does. Whatever is saved has passed this. */
export async function checkVocabulary(
  text: string,
  findKindMistakes: FindKindMistakes,
): Promise<ReadVocabulary> {
  const read = readVocabulary(text);
  if (!read.vocabulary) return read;
  const [first, ...others] = placeMistakes(text, await findKindMistakes(readOwnKinds(read.vocabulary)));
  return first ? { mistakes: [first, ...others] } : read;
}
