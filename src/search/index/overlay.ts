import { consonantKeys } from "../consonants.ts";
import { stem } from "../stem.ts";
import { AddedWords } from "./added-words.ts";
import type { Base } from "./base.ts";
import { SILENT } from "./build.ts";
import type { ChangedRecord, ChangedRecords } from "./changed-records.ts";
import type { NameRows } from "./names.ts";
import { compareRank } from "./records.ts";
import { ValueWords } from "./values.ts";
import type { ChangedWords } from "./vocabulary.ts";

/** The sounds of a base after changes. */
interface ChangedSounds extends ChangedWords {
  /** The sound of each added word. */
  readonly ofAdded: readonly number[];
}

/**
 * The changed records of a base as a small index beside it. Its records, words and places in names are numbered on from
 * the base's.
 */
export class Overlay {
  /** Best first. */
  readonly records: readonly ChangedRecord[];
  readonly words: ChangedWords;
  readonly rows: NameRows;
  readonly #base: Base;
  /** The changed records of each word, ascending. */
  readonly #postings = new Map<number, number[]>();
  readonly #ids: ReadonlyMap<string, number>;
  #sounds: ChangedSounds | undefined;
  #values: ValueWords | undefined;
  #stemWords: ReadonlyMap<string, readonly number[]> | undefined;
  #consonantWords: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(base: Base, changes: ChangedRecords) {
    this.#base = base;
    this.records = changes.list().sort((a, b) => a.place - b.place || compareRank(a.record, b.record));
    this.#ids = new Map(this.records.map(({ record }, n) => [record.id, base.size + n]));
    const added = new AddedWords(this.#newWords());
    this.rows = this.#makeRows(added);
    this.words = { added, dead: this.#deadWords(changes) };
  }

  /** Made at the first call: most searches need no sounds. */
  get sounds(): ChangedSounds {
    this.#sounds ??= this.#makeSounds();
    return this.#sounds;
  }

  /** The added words of each stem, made at the first call. */
  get stemWords(): ReadonlyMap<string, readonly number[]> {
    this.#stemWords ??= this.#addedBy((word) => [stem(word)]);
    return this.#stemWords;
  }

  /** The added words of each key of consonants, made at the first call. */
  get consonantWords(): ReadonlyMap<string, readonly number[]> {
    this.#consonantWords ??= this.#addedBy(consonantKeys);
    return this.#consonantWords;
  }

  /** Which changed records, counted from 0, have a value with a word; see `Values.holding`. */
  withValue(word: string): ReadonlySet<number> {
    this.#values ??= new ValueWords(this.records.map(({ values }) => values.join(" ")));
    return this.#values.withWord(word);
  }

  recordWithId(id: string): number | undefined {
    return this.#ids.get(id);
  }

  /** The changed records of a word, ascending. */
  recordsOf(word: number): readonly number[] | undefined {
    return this.#postings.get(word);
  }

  /** The changed records with a word that `accept` lets pass, ascending. */
  recordsWithWord(accept: (word: number) => boolean): number[] {
    const found = new Set<number>();
    for (const [word, records] of this.#postings) {
      if (accept(word)) for (const record of records) found.add(record);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The changed records with a normalised name that `accept` lets pass, ascending. */
  recordsNamed(accept: (name: string) => boolean): number[] {
    const found: number[] = [];
    this.records.forEach(({ names }, n) => {
      if (names.some(accept)) found.push(this.#base.size + n);
    });
    return found;
  }

  /** Where a changed record stands among the numbers of the base: between those of its neighbours. */
  rankOf(record: number): number {
    const n = record - this.#base.size;
    return (this.records[n]?.place ?? 0) - 1 + (n + 1) / (this.records.length + 1);
  }

  #newWords(): Set<string> {
    const words = this.records.flatMap(({ names }) => names.flatMap((name) => name.split(" ")));
    return new Set(words.filter((word) => this.#base.words.numberOf(word) < 0));
  }

  #makeRows(added: AddedWords): NameRows {
    const { size, words: base } = this.#base;
    const place = this.#base.names.words.length;
    const firstNames: number[] = [];
    const starts: number[] = [];
    const words: number[] = [];
    this.records.forEach(({ names }, n) => {
      firstNames.push(starts.length);
      for (const name of names) {
        starts.push(place + words.length);
        for (const word of name.split(" ")) {
          const known = base.numberOf(word);
          const number = known < 0 ? base.list.size + added.find(word) : known;
          words.push(number);
          this.#post(number, size + n);
        }
      }
    });
    return {
      firstNames: [...firstNames, starts.length],
      starts: [...starts, place + words.length],
      words,
    };
  }

  #post(word: number, record: number): void {
    const records = this.#postings.get(word);
    if (records === undefined) this.#postings.set(word, [record]);
    else if (records.at(-1) !== record) records.push(record);
  }

  #deadWords({ goneFrom }: ChangedRecords): Set<number> {
    const { starts } = this.#base.postings;
    const dead = new Set<number>();
    for (const [word, gone] of goneFrom) {
      if (gone === (starts[word + 1] ?? 0) - (starts[word] ?? 0) && !this.#postings.has(word)) dead.add(word);
    }
    return dead;
  }

  #makeSounds(): ChangedSounds {
    const { sounds: known } = this.#base;
    const { added: words } = this.words;
    const keys = Array.from({ length: words.size }, (_, n) => this.#base.soundKeyOf(words.word(n)));
    const added = new AddedWords(new Set(keys.filter((key) => key !== "" && known.numberOf(key) < 0)));
    const ofAdded = keys.map((key) => {
      if (key === "") return SILENT;
      const n = known.numberOf(key);
      return n < 0 ? known.list.size + added.find(key) : n;
    });
    return { added, ofAdded, dead: this.#deadSounds(new Set(ofAdded)) };
  }

  /** The added words by their keys. */
  #addedBy(keysOf: (word: string) => readonly string[]): Map<string, number[]> {
    const { added } = this.words;
    const byKey = new Map<string, number[]>();
    for (let n = 0; n < added.size; n++) {
      for (const key of keysOf(added.word(n))) {
        const words = byKey.get(key) ?? [];
        words.push(this.#base.words.list.size + n);
        byKey.set(key, words);
      }
    }
    return byKey;
  }

  /** The sounds of the base that only dead words have. */
  #deadSounds(alive: ReadonlySet<number>): Set<number> {
    const { soundOf, soundWords } = this.#base;
    const deadWords = new Map<number, number>();
    for (const word of this.words.dead) {
      const sound = soundOf[word] ?? SILENT;
      if (sound !== SILENT) deadWords.set(sound, (deadWords.get(sound) ?? 0) + 1);
    }
    const isDead = ([sound, dead]: [number, number]) =>
      dead === (soundWords.starts[sound + 1] ?? 0) - (soundWords.starts[sound] ?? 0) && !alive.has(sound);
    return new Set([...deadWords].filter(isDead).map(([sound]) => sound));
  }
}
