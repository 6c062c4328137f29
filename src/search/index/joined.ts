import { CONSONANTS, initialsOf } from "../hangul.ts";
import { stem } from "../stem.ts";
import type { Catalogue } from "./catalogue.ts";
import type { ForgivingMatch, Matches } from "./matches.ts";
import { numbersOf, type Span, type Vocabulary } from "./vocabulary.ts";

/** Reading this many records is faster than looking for rarer words. */
const FEW = 50;

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
  match: ForgivingMatch = "fuzzy",
): void {
  const letters = name.replaceAll(" ", "");
  const places: Map<number, Place> = new Map();
  const next = new NextWords(catalogue, letters);
  for (const end of catalogue.words.beginningsOf(letters, 0).ends.toSorted((a, b) => b - a)) {
    const first = catalogue.words.find(letters.slice(0, end));
    if (first < 0) continue;
    const isFew = catalogue.postings.countOf(first) <= FEW || end === letters.length;
    const leading = isFew ? [first] : rarer(catalogue, first, next.after(end));
    for (const word of leading) findFrom(catalogue, word, first, letters, places);
  }
  for (const place of [0, 1, 2] as const) {
    const records = [...places].filter(([, found]) => found === place).map(([record]) => record);
    matches.addAll(records, match);
  }
}

/** Finds Korean names by the first letters of syllables over several words: ㅅㄱㅁㅇ finds 사과 마을. */
export function findJoinedInitials(catalogue: Catalogue, typed: string, matches: Matches): void {
  if (!CONSONANTS.test(typed)) return;
  const { names, words, postings } = catalogue;
  const found = new Set<number>();
  const initials = (at: number, end: number): string =>
    at < end ? initialsOf(words.word(names.wordAt(at))) + initials(at + 1, end) : "";
  for (let length = 1; length < typed.length; length++) {
    for (const word of catalogue.wordsWithConsonants(typed.slice(0, length))) {
      postings.someOf(word, (record) => {
        const isMeant = names.someName(record, (start, end) => {
          for (let at = start; at < end; at++)
            if (names.wordAt(at) === word && initials(at, end).startsWith(typed)) return true;
          return false;
        });
        if (isMeant) found.add(record);
        return false;
      });
    }
  }
  matches.addAll([...found], "fuzzy");
}

/** The words that joined letters may go on with. */
class NextWords {
  readonly #words: Vocabulary;
  readonly #letters: string;
  readonly #known: Span[][] = [];

  constructor({ words }: Catalogue, letters: string) {
    this.#words = words;
    this.#letters = letters;
  }

  /** The words that may come next, if others can follow them up to the last letter; that one may be cut short. */
  after(from: number): readonly Span[] {
    this.#known[from] ??= this.#find(from);
    return this.#known[from];
  }

  #find(from: number): Span[] {
    const { ends, isOpen } = this.#words.beginningsOf(this.#letters, from);
    const followed = ends.filter((end) => end < this.#letters.length && this.after(end).length > 0);
    const spans = followed.map((end) => this.#words.spanOf(this.#letters.slice(from, end)));
    return isOpen ? [...spans, this.#words.beginningWith(this.#letters.slice(from))] : spans;
  }
}

/** A word, or all that may come next if they are in fewer records. */
function rarer({ postings }: Catalogue, word: number, next: readonly Span[]): Iterable<number> {
  const records = next.reduce((sum, span) => sum + postings.countAbout(span), 0);
  return records < postings.countOf(word) ? next.flatMap((span) => [...numbersOf(span)]) : [word];
}

/** Reads on from each `first` in the names of the records with a word. */
function findFrom(
  catalogue: Catalogue,
  word: number,
  first: number,
  letters: string,
  places: Map<number, Place>,
): void {
  const { postings, names } = catalogue;
  postings.someOf(word, (record) => {
    names.someName(record, (nameStart, nameEnd) => {
      for (let at = nameStart; at < nameEnd; at++) {
        if (names.wordAt(at) !== first) continue;
        const reached = matchLetters(catalogue, at, nameEnd, letters);
        if (reached === undefined) continue;
        const place = at > nameStart ? 2 : reached ? 0 : 1;
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
