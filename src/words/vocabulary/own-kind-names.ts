import { LANGUAGES } from "../i18n/languages.ts";
import { type LazyText, lazyText, zodMessage } from "../i18n/lazy-text.ts";
import { BUILT_IN_KINDS, isBuiltInKind, KINDS } from "../kinds/kinds.ts";
import { firstParts } from "../urls.ts";
import { nearestName } from "./nearest-name.ts";
import { isKeyword } from "./sql-keywords.ts";

/** What names have to do with a kind of the operator's own. */
interface Named {
  readonly one?: string | undefined;
  readonly name?: object | undefined;
}

interface NameMistake {
  readonly path: string[];
  /** As `zodMessage` has it. */
  readonly message: string;
}

/** Words for one record that favorites and relations have for something else. */
const TAKEN_WORDS = ["server", "donate", "user", "entity", "import", "shop", "shop_item", "page", "own"];

/** Kinds of an import, keys of answers, a section, and the name that types have for all own kinds. */
const TAKEN_NAMES = [
  "relations",
  "discounts",
  "query",
  "truncated",
  "shop",
  "pages",
  "map",
  "own",
  "import_staging",
];

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const LONGEST = 30;

/** The mistakes in the names of a vocabulary's own kinds. */
export function mistakesOfOwnKinds(kinds: Readonly<Record<string, Named | undefined>>): NameMistake[] {
  const words = new Map<string, string>(BUILT_IN_KINDS.map((kind) => [KINDS[kind].one, kind]));
  const names = [...BUILT_IN_KINDS, ...Object.keys(kinds)];
  return Object.entries(kinds).flatMap(([kind, named]) => {
    if (isBuiltInKind(kind) || !named) return [];
    const { one, name } = named;
    if (one === undefined && name === undefined)
      return [{ path: ["kinds", kind], message: renderMessage(unknownKind(kind)) }];
    const path = ["kinds", kind];
    const wrong = mistakeOfName(kind);
    const missing = [
      ...(one === undefined ? [lazyText("operator.vocabulary.mistake.needs_word")] : []),
      ...(name === undefined ? [lazyText("operator.vocabulary.mistake.needs_name")] : []),
    ];
    const others = names.filter((other) => other !== kind);
    const word = one === undefined ? undefined : mistakeOfWord(one, words.get(one), others);
    if (one !== undefined && !words.has(one)) words.set(one, kind);
    return [
      ...[...(wrong ? [wrong] : []), ...missing].map((mistake) => ({
        path,
        message: renderMessage(mistake),
      })),
      ...(word ? [{ path: [...path, "one"], message: renderMessage(word) }] : []),
    ];
  });
}

function renderMessage({ key, values }: LazyText): string {
  return zodMessage(key, values);
}

function unknownKind(kind: string): LazyText {
  const meant = nearestName(kind, BUILT_IN_KINDS);
  const name = JSON.stringify(meant);
  const perhaps = meant === undefined ? "" : lazyText("operator.vocabulary.mistake.perhaps", { name });
  return lazyText("operator.vocabulary.mistake.unknown_kind", { perhaps, known: BUILT_IN_KINDS.join(", ") });
}

function mistakeOfName(kind: string): LazyText | undefined {
  const other = `game_${kind}`;
  if (!NAME.test(kind) || kind.length < 2 || kind.length > LONGEST)
    return lazyText("operator.vocabulary.mistake.kind_shape", { most: LONGEST });
  if (firstParts().has(kind) || TAKEN_NAMES.includes(kind))
    return lazyText("operator.vocabulary.mistake.kind_page", { other });
  if (BUILT_IN_KINDS.some((known) => KINDS[known].one === kind))
    return lazyText("operator.vocabulary.mistake.kind_word", { other });
  if (LANGUAGES.some((language) => language.toLowerCase() === kind))
    return lazyText("operator.vocabulary.mistake.kind_language");
  if (isKeyword(kind) || kind.startsWith("pg_"))
    return lazyText("operator.vocabulary.mistake.kind_keyword", { other });
  return undefined;
}

function mistakeOfWord(
  one: string,
  other: string | undefined,
  names: readonly string[],
): LazyText | undefined {
  const word = JSON.stringify(one);
  if (!NAME.test(one) || one.length < 2 || one.length > LONGEST)
    return lazyText("operator.vocabulary.mistake.word_shape", { most: LONGEST, given: word });
  if (other !== undefined) return lazyText("operator.vocabulary.mistake.word_of", { word, kind: other });
  if (names.includes(one)) return lazyText("operator.vocabulary.mistake.word_kind", { word });
  if (TAKEN_WORDS.includes(one)) return lazyText("operator.vocabulary.mistake.word_taken", { word });
  return undefined;
}
