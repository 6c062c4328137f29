import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import { createVocabulary, pickByRank, type Vocabulary, type WordPair } from "./words.ts";

/** A generated item: its English and Russian names, and what an import gives beside them. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly nameRu: string;
  readonly category: string;
  readonly popularity: number | null;
}

/**
 * Items as a game has them, each of a different English name; the same in every run. One in ten has a popularity.
 * Ids are numbers, as most games' are.
 */
export function* generateItems(count: number): Generator<Item> {
  const draw = createDraw("search speed");
  const vocabulary = createVocabulary(count, draw);
  const taken = new Set<string>();
  for (let number = 1; number <= count; number++) {
    const [name, nameRu] = makeDistinctName(vocabulary, taken, draw);
    const popularity = draw(10) === 0 ? draw(100_000) / 10 : null;
    yield { id: String(number), name, nameRu, category: `Category ${draw(40)}`, popularity };
  }
}

/** A pair that is there already gets a number, as models and levels do. */
function makeDistinctName(vocabulary: Vocabulary, taken: Set<string>, draw: Draw): WordPair {
  const [english, russian] = makeName(vocabulary, draw);
  let suffix = "";
  while (taken.has(english + suffix)) suffix = ` ${2 + draw(9_998)}`;
  taken.add(english + suffix);
  return [english + suffix, russian + suffix];
}

function makeName({ adjectives, nouns, names }: Vocabulary, draw: Draw): WordPair {
  const adjective = () => pickByRank(adjectives, draw);
  const noun = () => pickByRank(nouns, draw);
  const name = () => pickByRank(names, draw);
  const roll = draw(100);
  if (roll < 30) return join(adjective(), noun());
  if (roll < 45) return join(name(), noun());
  if (roll < 55) return join(adjective(), name(), noun());
  if (roll < 65) return join(adjective(), adjective(), noun());
  if (roll < 75) return join(adjective(), noun(), ["of", "из"], name());
  if (roll < 85) return join(noun(), same(`${letter(draw)}${letter(draw)}-${(1 + draw(99)) * 10}`));
  if (roll < 93) return join(name(), noun(), same(`Mk ${1 + draw(9)}`));
  return join(name(), same(String(100 + draw(900))), noun());
}

function same(text: string): WordPair {
  return [text, text];
}

function join(...words: WordPair[]): WordPair {
  return [words.map(([english]) => english).join(" "), words.map(([, russian]) => russian).join(" ")];
}

function letter(draw: Draw): string {
  return String.fromCharCode(65 + draw(26));
}
