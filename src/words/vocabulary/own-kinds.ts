import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { setKindTexts, textsIn } from "../i18n/translate.ts";
import { OWN_GLYPHS } from "../kinds/glyphs.ts";
import { isBuiltInKind } from "../kinds/kinds.ts";
import { setOwnKinds } from "../kinds/own-kinds.ts";
import type { OwnKindTraits } from "../kinds/traits.ts";
import { learnCurrencies } from "./currency-names.ts";
import type { OwnKindWords, VocabularyFile } from "./schema.ts";
import { textIn } from "./text-in.ts";
import type { Text } from "./text-schema.ts";

type KindTexts = { [key: string]: string | KindTexts };

/** The operator's own kinds in a vocabulary, as the code wants them. */
export function readOwnKinds(file: VocabularyFile): OwnKindTraits[] {
  return listDefinitions(file).map(([kind, words]) => {
    const { one = kind, searched, compared, favorite, feed, placed, glyph = OWN_GLYPHS[0] } = words;
    return {
      kind,
      one,
      glyph,
      ...(searched !== false && { isSearched: true as const }),
      ...(compared !== false && { isCompared: true as const }),
      ...(favorite !== false && { isFavorite: true as const }),
      ...(feed !== false && { hasFeed: true as const }),
      ...(placed === true && { isPlaced: true as const }),
    };
  });
}

/** Colours for own kinds without one, unlike those of the built-in kinds. */
const DEFAULT_COLOURS = ["#a1386f", "#5b5fc7", "#6a6a14", "#9a4a2a", "#3f6f8f", "#6b5b4b"] as const;

/** The colours of the operator's own kinds, by kind. A kind without a colour gets one by its position. */
export function coloursOfKinds(file: VocabularyFile): [string, string][] {
  return listDefinitions(file).map(([kind, { colour }], index) => [
    kind,
    colour ?? DEFAULT_COLOURS[index % DEFAULT_COLOURS.length] ?? DEFAULT_COLOURS[0],
  ]);
}

/** The texts of the operator's own kinds in all languages: those of `kinds.own`, with the kind's words filled in. */
export function ownKindTexts(file: VocabularyFile): Map<Language, Record<string, KindTexts>> {
  return new Map(
    LANGUAGES.map((language) => {
      const pattern = (textsIn(language).kinds as KindTexts).own as KindTexts;
      const texts = listDefinitions(file).map(([kind, words]) => [kind, fillIn(pattern, words, language)]);
      return [language, Object.fromEntries(texts)];
    }),
  );
}

function listDefinitions(file: VocabularyFile): [string, OwnKindWords][] {
  return Object.entries(file.kinds ?? {}).filter(([kind]) => !isBuiltInKind(kind)) as [
    string,
    OwnKindWords,
  ][];
}

function fillIn(pattern: KindTexts, { name, one = "" }: OwnKindWords, language: Language): KindTexts {
  const words = {
    one: nameIn(name?.one, language) ?? one,
    many: nameIn(name?.many, language) ?? one,
  };
  const texts = fillTexts(pattern, words, language);
  const counts = name?.count?.[language] ?? {};
  for (const [form, text] of Object.entries(counts)) {
    if (`count_${form}` in texts) texts[`count_${form}`] = text.replaceAll("{figure}", "{{figure}}");
  }
  return texts;
}

/** A name must be shown in every language: in English, else in the first one that the file has. */
function nameIn(text: Text | undefined, language: Language): string | undefined {
  return textIn(text, language) ?? (typeof text === "object" ? Object.values(text)[0] : undefined);
}

function fillTexts(pattern: KindTexts, words: { one: string; many: string }, language: Language): KindTexts {
  const filled = Object.entries(pattern).map(([key, text]) => [
    key,
    typeof text === "string" ? fillText(text, words, language) : fillTexts(text, words, language),
  ]);
  return Object.fromEntries(filled);
}

function fillText(text: string, words: { one: string; many: string }, language: Language): string {
  return text.replace(/\{\{(one|many)\}\}/g, (_, word: "one" | "many", at: number) =>
    at === 0 ? words[word] : withinText(words[word], language),
  );
}

/** Languages that write every noun with a capital letter. */
const CAPITAL_NOUNS = ["de", "lb"];

/** `Quests` as it is written in the middle of a text; `NPCs` stays. */
function withinText(word: string, language: Language): string {
  const [first = "", second = ""] = word;
  const isWord = second === second.toLocaleLowerCase(language);
  if (!isWord || CAPITAL_NOUNS.includes(language.split("-", 1)[0] ?? "")) return word;
  return first.toLocaleLowerCase(language) + word.slice(first.length);
}

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
