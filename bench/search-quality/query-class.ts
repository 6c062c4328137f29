import type { Catalogue, CatalogueName, Relevance } from "./catalogue.ts";
import { fold } from "./fold.ts";
import { Random } from "./random.ts";
import type { Metric } from "./score.ts";

/** A query together with the answers that are right for it. */
export interface LabelledQuery {
  text: string;
  /** What its author would have typed without mistakes, for people who read the misses. */
  meant: string;
  /** The records that the author looks for: the first of them in an answer makes it a hit. */
  hits: Relevance;
  /** The records that are no noise in an answer; all of `hits` are among them. */
  relevant: Relevance;
}

/** One way of asking, and what is expected of the answers. */
export interface QueryClass {
  name: string;
  /** What each metric must reach, in percent; 0 where only the peers are compared. */
  targets: Partial<Record<Metric, number>>;
  /** Whether queries of this class can be made of a name. */
  fits(name: CatalogueName): boolean;
  /** Makes a query of a name; undefined when chance made one that is no use. */
  make(name: CatalogueName, random: Random, catalogue: Catalogue): LabelledQuery | undefined;
}

/** Makes what somebody types for a text; undefined where it does not lend itself to that. */
type Type<Typed> = (meant: Typed, random: Random, catalogue: Catalogue) => string | undefined;

const ATTEMPTS = 40;

/** A query for a name, whose answers are the records of that name, and no noise if their names begin with it. */
export function seek(
  typed: string,
  { text }: CatalogueName,
  catalogue: Catalogue,
  relevant = catalogue.beginning(text),
): LabelledQuery {
  return { text: typed, meant: text, hits: catalogue.named(text), relevant };
}

/** A class of names that are typed whole, but for queries that mean another name as they stand. */
export function wholeNames({
  type,
  ...rest
}: Omit<QueryClass, "make"> & { type: Type<CatalogueName> }): QueryClass {
  return {
    ...rest,
    make(name, random, catalogue) {
      const typed = type(name, random, catalogue);
      if (!typed || catalogue.isAmbiguous(typed, catalogue.named(name.text))) return undefined;
      return seek(typed, name, catalogue);
    },
  };
}

/** The same of the beginnings of names, from `shortest` letters on: all names that begin so are meant. */
export function halfTyped({
  type,
  shortest,
  ...rest
}: Omit<QueryClass, "make"> & { type: Type<string>; shortest: number }): QueryClass {
  return {
    ...rest,
    make({ text }, random, catalogue) {
      const cut = cutName(text, shortest, random);
      const typed = cut && type(cut, random, catalogue);
      if (!typed) return undefined;
      const relevant = catalogue.beginning(cut);
      if (catalogue.isAmbiguous(typed, relevant)) return undefined;
      return { text: typed, meant: `${cut}… (${text})`, hits: relevant, relevant };
    },
  };
}

/**
 * The beginning of a name, as far as somebody has typed it: from `shortest` letters to 60 % of the name, sometimes in
 * lower case. Undefined where the name is too short for that.
 */
export function cutName(name: string, shortest: number, random: Random): string | undefined {
  const letters = [...name];
  const longest = Math.floor(letters.length * 0.6);
  if (longest < shortest) return undefined;
  const cut = letters.slice(0, random.between(shortest, longest)).join("");
  if (fold(cut).length < shortest) return undefined;
  return random.next() < 0.5 ? cut : cut.toLowerCase();
}

/**
 * Up to `count` different queries of a class, fewer where the catalogue has too few names that fit. Each language that
 * has fitting names is drawn as often as any other. The same catalogue and seed make the same queries.
 */
export function makeQueries(
  { name, fits, make }: QueryClass,
  catalogue: Catalogue,
  { seed, count }: { seed: number; count: number },
): LabelledQuery[] {
  const random = new Random(`${seed} ${name}`);
  const pools = [...Map.groupBy(catalogue.names.filter(fits), ({ language }) => language).values()];
  const queries = new Map<string, LabelledQuery>();
  for (let attempt = 0; pools.length > 0 && attempt < count * ATTEMPTS; attempt++) {
    const query = make(random.pick(random.pick(pools)), random, catalogue);
    if (query) queries.set(query.text, query);
    if (queries.size === count) break;
  }
  return [...queries.values()];
}
