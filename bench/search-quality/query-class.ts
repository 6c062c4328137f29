import type { Catalogue, CatalogueName, Relevance } from "./catalogue.ts";
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

/** What a class must reach. */
interface Target {
  metric: Metric;
  /** In percent; without one, only the peers are compared. */
  atLeast?: number;
  /** True where a peer that finds nothing at all would win. */
  withoutPeers?: true;
}

/** One way of asking, and what is expected of the answers. */
export interface QueryClass {
  name: string;
  targets: readonly Target[];
  /** Whether queries of this class can be made of a name. */
  fits(name: CatalogueName): boolean;
  /** Makes a query of a name; undefined when chance made one that is no use. */
  make(name: CatalogueName, random: Random, catalogue: Catalogue): LabelledQuery | undefined;
}

interface SetOptions {
  seed: number;
  count: number;
  /** Draw from names of these languages only; all of them unless told. */
  languages?: readonly string[];
}

const ATTEMPTS = 40;

/**
 * Up to `count` different queries of a class, fewer where the catalogue has too few names that fit. Each language that
 * has fitting names is drawn as often as any other. The same catalogue and seed make the same queries.
 */
export function makeQueries(
  { name: className, fits, make }: QueryClass,
  catalogue: Catalogue,
  { seed, count, languages }: SetOptions,
): LabelledQuery[] {
  const random = new Random(`${seed} ${className}`);
  const wanted = catalogue.names.filter(({ language }) => languages?.includes(language) ?? true);
  const pools = byLanguage(wanted.filter(fits));
  const queries = new Map<string, LabelledQuery>();
  for (let attempt = 0; pools.length > 0 && attempt < count * ATTEMPTS; attempt++) {
    const query = make(random.pick(random.pick(pools)), random, catalogue);
    if (query) queries.set(query.text, query);
    if (queries.size === count) break;
  }
  return [...queries.values()];
}

function byLanguage(names: readonly CatalogueName[]): CatalogueName[][] {
  const pools = new Map<string, CatalogueName[]>();
  for (const name of names) {
    const pool = pools.get(name.language);
    if (pool) pool.push(name);
    else pools.set(name.language, [name]);
  }
  return [...pools.values()];
}
