import { stem } from "../stem.ts";
import type { Catalogue } from "./catalogue.ts";
import type { ForgivingMatch, Matches } from "./matches.ts";

/** Where in a name the match is: the whole name, its beginning, or from a later word on. */
type Place = 0 | 1 | 2;

/**
 * Finds names whose words without spaces begin with the query without spaces: `nrg500` finds NRG-500, and `sni per`
 * Sniper. Whole names come first, then beginnings, then later words.
 */
export function findJoined(
  catalogue: Catalogue,
  name: string,
  matches: Matches,
  { read = matchLetters, match = "fuzzy" }: { read?: typeof matchLetters; match?: ForgivingMatch } = {},
): void {
  const letters = name.replaceAll(" ", "");
  const places: Map<number, Place> = new Map();
  for (let length = letters.length; length > 0; length--) {
    const first = catalogue.words.find(letters.slice(0, length));
    if (first >= 0) findFrom(catalogue, first, letters, places, read);
  }
  for (const place of [0, 1, 2] as const) {
    const records = [...places].filter(([, found]) => found === place).map(([record]) => record);
    matches.addAll(records, match);
  }
}

function findFrom(
  catalogue: Catalogue,
  first: number,
  letters: string,
  places: Map<number, Place>,
  read: typeof matchLetters,
): void {
  const { postings, names } = catalogue;
  postings.someOf(first, (record) => {
    if (catalogue.timeIsUp()) return true;
    names.someName(record, (nameStart, nameEnd) => {
      for (let word = nameStart; word < nameEnd; word++) {
        if (names.wordAt(word) !== first) continue;
        const reached = read(catalogue, word, nameEnd, letters);
        if (reached === undefined) continue;
        const place = word > nameStart ? 2 : reached ? 0 : 1;
        places.set(record, Math.min(place, places.get(record) ?? 2) as Place);
      }
      return false;
    });
    return false;
  });
}

/** Whether the words of a name go on as the letters do: true up to the end of the name, false up to a place in it. */
function matchLetters(
  { names, words }: Catalogue,
  start: number,
  end: number,
  letters: string,
): boolean | undefined {
  let read = 0;
  for (let at = start; at < end; at++) {
    const word = names.wordAt(at);
    const length = Math.min(words.lengthOf(word), letters.length - read);
    for (let i = 0; i < length; i++) {
      if (words.letter(word, i) !== letters.charCodeAt(read + i)) return undefined;
    }
    read += length;
    if (read < letters.length) continue;
    const isWhole = length === words.lengthOf(word);
    // The s of `rhinos` is an ending, not the beginning of Rhino Skin.
    if (length === 1 && !isWhole && at > start && stem(letters) !== letters) return undefined;
    return at + 1 === end && isWhole;
  }
  return undefined;
}

/** The same with one typing error. */
export function matchLettersNearly(
  { names, words }: Catalogue,
  start: number,
  end: number,
  letters: string,
): boolean | undefined {
  let text = "";
  for (let at = start; at < end && text.length <= letters.length; at++) text += words.word(names.wordAt(at));
  let same = 0;
  while (same < letters.length && letters[same] === text[same]) same++;
  const typed = letters.slice(same);
  const rest = text.slice(same);
  const nearly =
    rest.startsWith(typed.slice(1)) ||
    rest.slice(1).startsWith(typed) ||
    rest.slice(1).startsWith(typed.slice(1)) ||
    (typed[0] === rest[1] && typed[1] === rest[0] && rest.slice(2).startsWith(typed.slice(2)));
  return nearly ? Math.abs(text.length - letters.length) <= 1 : undefined;
}
