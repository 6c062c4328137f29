import { LANGUAGES } from "../i18n/languages.ts";
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
  readonly message: string;
}

/** Words for one record that favorites and relations have for something else. */
const TAKEN_WORDS = ["server", "donate", "user", "entity", "import", "shop", "shop_item", "page", "own"];

/** Kinds of an import, keys of answers, and the name that types have for all own kinds. */
const TAKEN_NAMES = [
  "relations",
  "discounts",
  "query",
  "truncated",
  "shop",
  "pages",
  "own",
  "import_staging",
];

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const LONGEST = 30;

/** What is wrong with the names of the kinds in a vocabulary that are not built in. */
export function mistakesOfOwnKinds(kinds: Readonly<Record<string, Named | undefined>>): NameMistake[] {
  const words = new Map<string, string>(BUILT_IN_KINDS.map((kind) => [KINDS[kind].one, kind]));
  const names = [...BUILT_IN_KINDS, ...Object.keys(kinds)];
  return Object.entries(kinds).flatMap(([kind, named]) => {
    if (isBuiltInKind(kind) || !named) return [];
    const { one, name } = named;
    if (one === undefined && name === undefined)
      return [{ path: ["kinds", kind], message: unknownKind(kind) }];
    const path = ["kinds", kind];
    const wrong = mistakeOfName(kind);
    const missing = [
      ...(one === undefined
        ? [{ path, message: 'needs "one", the word for one entry: "one": "quest"' }]
        : []),
      ...(name === undefined ? [{ path, message: NEEDS_NAME }] : []),
    ];
    const others = names.filter((other) => other !== kind);
    const word = one === undefined ? undefined : mistakeOfWord(one, words.get(one), others);
    if (one !== undefined && !words.has(one)) words.set(one, kind);
    return [
      ...(wrong === undefined ? [] : [{ path, message: wrong }]),
      ...missing,
      ...(word === undefined ? [] : [{ path: [...path, "one"], message: word }]),
    ];
  });
}

const NEEDS_NAME = 'needs "name": { "one": "Quest", "many": "Quests" }, what readers call them';

function unknownKind(kind: string): string {
  const meant = nearestName(kind, BUILT_IN_KINDS);
  const perhaps = meant === undefined ? "" : ` (perhaps ${JSON.stringify(meant)})`;
  return `is not known here${perhaps}; there are ${BUILT_IN_KINDS.join(", ")}, and a kind of your own has "one" and "name"`;
}

function mistakeOfName(kind: string): string | undefined {
  if (!NAME.test(kind) || kind.length < 2 || kind.length > LONGEST)
    return `cannot be the name of a kind: it is a path and a table, so it has 2 to ${LONGEST} small letters a to z, digits and single _, and begins with a letter`;
  if (firstParts().has(kind) || TAKEN_NAMES.includes(kind))
    return `cannot be the name of a kind: the site has pages or data of its own there; choose another, such as game_${kind}`;
  if (BUILT_IN_KINDS.some((other) => KINDS[other].one === kind))
    return `cannot be the name of a kind: it is the word for one entry of another; choose another, such as game_${kind}`;
  if (LANGUAGES.some((language) => language.toLowerCase() === kind))
    return `cannot be the name of a kind: paths in that language begin so`;
  if (isKeyword(kind) || kind.startsWith("pg_"))
    return `cannot be the name of a kind: it is a word of the database's own; choose another, such as game_${kind}`;
  return undefined;
}

function mistakeOfWord(one: string, other: string | undefined, names: readonly string[]): string | undefined {
  if (!NAME.test(one) || one.length < 2 || one.length > LONGEST)
    return `must be 2 to ${LONGEST} small letters a to z, digits and single _, not ${JSON.stringify(one)}`;
  if (other !== undefined) return `"${one}" is the word for one of ${other} already`;
  if (names.includes(one)) return `"${one}" is the name of another kind`;
  if (TAKEN_WORDS.includes(one)) return `"${one}" means something else on this site; choose another word`;
  return undefined;
}
