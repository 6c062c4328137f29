import { transliterate } from "transliteration";
import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import type { Item } from "./items.ts";

/** Makes one query of a class from a record; undefined where the record does not lend itself to it. */
type MakeQuery = (item: Item, draw: Draw) => string | undefined;

/** What the plain classes of a match answer. */
const PLAIN: Record<string, MakeQuery> = {
  id: ({ id }) => id,
  exact: (item, draw) => anyName(item, draw),
  "prefix, 1 letter": (item, draw) => cut(anyName(item, draw), 1),
  "prefix, 2 letters": (item, draw) => cut(anyName(item, draw), 2),
  "prefix, 3 letters": (item, draw) => cut(anyName(item, draw), 3),
  "prefix, 4 to 8": (item, draw) => cut(anyName(item, draw), 4 + draw(5)),
  "later word": (item, draw) => {
    const [, ...later] = longWords(anyName(item, draw));
    const word = later[draw(Math.max(1, later.length))];
    return word?.slice(0, 3 + draw(word.length - 2));
  },
  "several words": (item, draw) => {
    const words = longWords(anyName(item, draw)).map((word) => word.slice(0, 3 + draw(2)));
    return words.length < 2 ? undefined : words.reverse().join(" ");
  },
  "inside a word": (item, draw) => {
    const word = longWords(anyName(item, draw)).find((word) => /^\p{L}{6,}$/u.test(word));
    return word?.slice(1 + draw(2)).slice(0, 4 + draw(2));
  },
};

/** What only forgiveness answers. */
const FORGIVING: Record<string, MakeQuery> = {
  "typo, whole": (item, draw) => misspell(anyName(item, draw), draw),
  "typo, half": (item, draw) => {
    const name = anyName(item, draw);
    return misspell(name.slice(0, Math.max(5, Math.ceil(name.length * 0.6))), draw);
  },
  layout: (item, draw) => switchLayout(anyName(item, draw)),
  transliteration: ({ nameRu }) => transliterate(nameRu).toLowerCase(),
  "random letters": (_item, draw) =>
    Array.from({ length: 5 + draw(8) }, () => LETTERS.charAt(draw(LETTERS.length))).join(""),
};

export const CLASSES = { plain: Object.keys(PLAIN), forgiving: Object.keys(FORGIVING) };

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const QWERTY = "`qwertyuiop[]asdfghjkl;'zxcvbnm,.";
const JCUKEN = "ёйцукенгшщзхъфывапролджэячсмитьбю";
const LAYOUT = new Map(
  [...QWERTY].flatMap((key, at): [string, string][] => {
    const other = JCUKEN.charAt(at);
    return [
      [key, other],
      [other, key],
    ];
  }),
);

/** At most `count` different queries of a class, from records picked at random; the same in every run. */
export function makeQueries(name: string, items: readonly Item[], count: number): string[] {
  const make = PLAIN[name] ?? FORGIVING[name];
  if (!make) throw new Error(`there is no class "${name}"`);
  const draw = createDraw(`queries: ${name}`);
  const queries = new Set<string>();
  for (let tries = 0; tries < count * 3 && queries.size < count; tries++) {
    const item = items[draw(items.length)];
    const query = item && make(item, draw)?.trim();
    if (query) queries.add(query);
  }
  return [...queries];
}

/**
 * Repeated queries: `count` prefixes of 100 names. The n-th name appears n times as rarely as the first (Zipf's law).
 */
export function makeHotQueries(items: readonly Item[], count: number): string[] {
  const draw = createDraw("hot queries");
  const names = Array.from({ length: 100 }, () => items[draw(items.length)]?.name ?? "");
  return Array.from({ length: count }, () => {
    const rank = Math.floor((names.length + 1) ** (draw(1 << 20) / (1 << 20)));
    return names[rank - 1]?.slice(0, 1 + draw(6)).trim() ?? "";
  });
}

function anyName({ name, nameRu }: Item, draw: Draw): string {
  return draw(2) === 0 ? name : nameRu;
}

function cut(name: string, letters: number): string {
  return name.slice(0, letters).toLowerCase();
}

function longWords(name: string): string[] {
  return name
    .toLowerCase()
    .split(" ")
    .filter(({ length }) => length > 3);
}

/** One letter left out, put in, replaced, or two of them swapped; never the first. */
function misspell(name: string, draw: Draw): string {
  const text = name.toLowerCase();
  const at = 1 + draw(text.length - 2);
  const [before, letter, next, after] = [
    text.slice(0, at),
    text.charAt(at),
    text.charAt(at + 1),
    text.slice(at + 2),
  ];
  const other = /[а-яё]/.test(text) ? JCUKEN.charAt(1 + draw(32)) : LETTERS.charAt(draw(26));
  return [
    before + next + after,
    before + letter + other + next + after,
    before + other + next + after,
    before + next + letter + after,
  ][draw(4)] as string;
}

function switchLayout(name: string): string {
  return Array.from(name.toLowerCase(), (letter) => LAYOUT.get(letter) ?? letter).join("");
}
