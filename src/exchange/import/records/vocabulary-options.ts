import type { DecimalComma } from "../../../records/figures.ts";
import { type CatalogueKind, has, isCatalogueKind } from "../../../words/kinds/kinds.ts";
import type { GameCodes } from "../../../words/text/game-codes.ts";
import type { VocabularyFile } from "../../../words/vocabulary/schema.ts";
import { Vocabulary } from "../../../words/vocabulary/vocabulary.ts";
import type { ImportKind } from "../kinds.ts";
import type { FigureOptions } from "./figure-columns.ts";

/** The game whose codes the vocabulary strips from a kind's texts. */
export function readCodes(vocabulary: VocabularyFile | undefined, kind: ImportKind): GameCodes | undefined {
  const { kinds = {} } = vocabulary ?? {};
  return Object.hasOwn(kinds, kind) ? kinds[kind as CatalogueKind]?.codes : undefined;
}

/** How numbers in the texts of a file are read; the meaning of a comma is known once the file is read. */
export function figureOptions(
  kind: ImportKind,
  vocabulary: VocabularyFile | undefined,
  numbers: { comma: DecimalComma },
): FigureOptions {
  const all = new Vocabulary(vocabulary ? [vocabulary] : []);
  const words = isCatalogueKind(kind) ? all.of(kind) : all.shared;
  return {
    attribute: (key) => words.attribute(key),
    isPlaced: isCatalogueKind(kind) && has(kind, "isPlaced"),
    comma: () => numbers.comma,
    guess: true,
  };
}
