import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import type { Item } from "./items.ts";
import { pickByRank } from "./words.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const CYRILLIC_LETTERS = "йцукенгшщзхъфывапролджэячсмитьбю";

/** Makes one query of a class from a record; undefined where the record does not lend itself to it. */
const CLASSES: Record<string, (item: Item, draw: Draw) => string | undefined> = {
  exact: (item, draw) => anyName(item, draw),
  "prefix, 4 to 8": (item, draw) =>
    anyName(item, draw)
      .slice(0, 4 + draw(5))
      .toLowerCase(),
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
    const word = longWords(anyName(item, draw)).find((each) => /^\p{L}{6,}$/u.test(each));
    return word?.slice(1 + draw(2)).slice(0, 4 + draw(2));
  },
  "typo, whole": (item, draw) => misspell(anyName(item, draw), draw),
  "typo, half": (item, draw) => {
    const name = anyName(item, draw);
    return misspell(name.slice(0, Math.max(5, Math.ceil(name.length * 0.6))), draw);
  },
};

/** The classes that are answered as typed, and those that need forgiveness. */
export const PLAIN = Object.keys(CLASSES).filter((name) => !name.startsWith("typo"));
export const TYPOS = Object.keys(CLASSES).filter((name) => name.startsWith("typo"));

/** At most `count` different queries of a class, from records picked at random; the same in every run. */
export function makeQueries(name: string, items: readonly Item[], count: number): string[] {
  const draw = createDraw(`queries: ${name}`);
  const queries = new Set<string>();
  for (let tries = 0; tries < count * 3 && queries.size < count; tries++) {
    const item = items[draw(items.length)];
    const query = item && CLASSES[name]?.(item, draw)?.trim();
    if (query) queries.add(query);
  }
  return [...queries];
}

/** Repeated queries: `count` prefixes of 100 names, a few of them very often. */
export function makeHotQueries(items: readonly Item[], count: number): string[] {
  const draw = createDraw("hot queries");
  const names = Array.from({ length: 100 }, () => items[draw(items.length)]?.name ?? "");
  return Array.from({ length: count }, () =>
    pickByRank(names, draw)
      .slice(0, 1 + draw(6))
      .trim(),
  );
}

function anyName({ name, nameRu }: Item, draw: Draw): string {
  return draw(2) === 0 ? name : nameRu;
}

function longWords(name: string): string[] {
  return name.toLowerCase().match(/\S{4,}/g) ?? [];
}

/** One letter left out, put in, replaced, or two of them swapped; never the first. */
function misspell(name: string, draw: Draw): string {
  const text = name.toLowerCase();
  const at = 1 + draw(text.length - 2);
  const [before, after] = [text.slice(0, at), text.slice(at + 2)];
  const [letter, next] = [text.charAt(at), text.charAt(at + 1)];
  const other = /[а-яё]/.test(text) ? CYRILLIC_LETTERS.charAt(draw(32)) : LETTERS.charAt(draw(26));
  return [
    before + next + after,
    before + letter + other + next + after,
    before + other + next + after,
    before + next + letter + after,
  ][draw(4)] as string;
}
