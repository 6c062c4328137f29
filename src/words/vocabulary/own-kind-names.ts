import { LANGUAGES } from "../i18n/languages.ts";
import { type LazyText, lazyText, zodMessage } from "../i18n/lazy-text.ts";
import { BUILT_IN_KINDS, isBuiltInKind, KINDS } from "../kinds/kinds.ts";
import { firstParts } from "../urls.ts";
import { nearestName } from "./nearest-name.ts";

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

/**
 * Words that Postgres takes for no table's name without quotes. Source: the reserved ones of
 * https://www.postgresql.org/docs/current/sql-keywords-appendix.html
 */
const KEYWORDS = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
   concurrently constraint create cross current_catalog current_date current_role current_schema current_time
   current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
   full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
   localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning
   right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user
   using variadic verbose when where window with`.split(/\s+/),
);

/** What the site's statements call their parts beside a kind's table, and a column of every kind. */
const PARTS = new Set(
  `best candidates categories change found looked name older omitted ordered rare sample scored shown siblings traits
   weighed`.split(/\s+/),
);

function isKeyword(word: string): boolean {
  return KEYWORDS.has(word) || PARTS.has(word);
}
