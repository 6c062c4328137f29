import { setKindTexts } from "../i18n/translate.ts";
import { setOwnKinds } from "../kinds/own-kinds.ts";
import type { OwnKindTraits } from "../kinds/traits.ts";
import { learnCurrencies } from "./currency-names.ts";
import { ownKindTexts, readOwnKinds } from "./own-kinds.ts";
import type { VocabularyFile } from "./schema.ts";

/**
 * Makes the kinds of a vocabulary known to this process, with their texts and the names of currencies, and returns them.
 * Called once at the start, before anything is made of the kinds. Their tables are made by src/db/own-kinds.ts, and only for
 * kinds that are wanted.
 */
export function registerOwnKinds(
  file: VocabularyFile,
  isWanted: (kind: OwnKindTraits) => boolean = () => true,
): OwnKindTraits[] {
  const kinds = readOwnKinds(file).filter(isWanted);
  setOwnKinds(kinds);
  setKindTexts(ownKindTexts(file));
  learnCurrencies(file);
  return kinds;
}
