import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import { IndexBuilder } from "../../src/search/index/build.ts";
import { compareRank, type RecordToIndex } from "../../src/search/index/records.ts";
import { SearchIndex } from "../../src/search/index/search-index.ts";
import { otherLayouts } from "../../src/search/layout.ts";

/** The same in two alphabets, and what only one of them has. */
const SYLLABLES = [
  ["ba", "tor", "mi", "shel", "dra", "kon", "zu", "fer", "ish", "ov", "gle", "ny"],
  ["ба", "тор", "ми", "шел", "дра", "кон", "зу", "фер", "иш", "ов", "гле", "ны"],
] as const;
const ODD_WORDS = [
  ...["of", "nrg-500", "м4", "mk", "Été", "剣", "ёж"],
  ...["ß", "🗡", "'s", "—", "x".repeat(40), "a", "в"],
];

const VALUES = ["Rare", "two-handed Sword", "Оружие", "sword", "Epics"];

/** Records that change at random, with queries that find them in every way; the same for the same seed. */
export class ChangingCatalogue {
  readonly records = new Map<string, RecordToIndex>();
  readonly #draw: Draw;
  readonly #words: string[];
  /** Names that some record had at some time. */
  readonly #names: string[] = [];
  #ids = 0;

  /** `words`: how many different ones there are about; the fewer, the more records share them. */
  constructor(seed: string, words: number) {
    this.#draw = createDraw(seed);
    this.#words = Array.from({ length: words }, () => this.#makeWord());
  }

  /** An index that is built from scratch. */
  build(): SearchIndex {
    const builder = new IndexBuilder();
    for (const record of [...this.records.values()].sort(compareRank)) builder.add(record);
    return new SearchIndex(builder.finish());
  }

  /** Changes some records; returns what a reader of changes gets. */
  change(count: number): { changed: RecordToIndex[]; removed: string[] } {
    const ids = new Set(Array.from({ length: count }, () => this.#changeOne()));
    const changed = [...ids].flatMap((id) => this.records.get(id) ?? []);
    return { changed, removed: [...ids].filter((id) => !this.records.has(id)) };
  }

  /** A text that is near a name, is in one, or is in none. */
  query(): string {
    const name = this.#pick(this.#names) ?? "";
    const words = name.split(" ");
    const at = this.#draw(name.length + 1);
    const ways: (() => string)[] = [
      () => name,
      () => name.slice(0, 1 + at),
      () => name.slice(at, at + 1 + this.#draw(5)),
      () => words.toReversed().join(" "),
      () => words.map((word) => word.slice(0, 1 + this.#draw(3))).join(" "),
      () => words.join(""),
      () => `${name.slice(0, at)} ${name.slice(at)}`,
      () => name.slice(0, at) + name.slice(at + 1),
      () => name.slice(0, at) + this.#letter() + name.slice(at),
      () => name.slice(0, at) + this.#letter() + name.slice(at + 1 + this.#draw(2)),
      () => (this.#pick(words) ?? "") + this.#pick(["s", "es", "ы", "ами", "а"]),
      () => otherLayouts(name)[0] ?? name,
      () => otherAlphabet(name),
      () => otherAlphabet(name.slice(0, at)),
      () => `${this.#pick(this.#words)} ${this.#pick(words)}`,
      () => words.map((word) => word.slice(0, 1)).join(""),
      () => this.#makeWord(),
      () => this.#letter() + (this.#draw(2) ? this.#letter() : ""),
      () => `${this.#draw(this.#ids + 1)}`,
      () => `${name} ${this.#pick(["rare", "swords", "оружие", "epi", "two sword", "the", "of"])}`,
      () => `${this.#pick(["rare", "sword", "the"])} ${name.slice(0, 1 + at)}`,
    ];
    return this.#pick(ways)?.() ?? "";
  }

  #changeOne(): string {
    const known = this.#pick([...this.records.values()]);
    const way = this.#draw(12);
    if (known === undefined || way < 3) return this.#put(`${this.#ids++}`, {});
    const { id } = known;
    if (way < 5) this.records.delete(id);
    else if (way < 7) this.#put(id, { ...known, ...this.#makeNames() });
    else if (way < 9) this.#put(id, { ...known, popularity: this.#popularity() });
    else if (way < 10) this.#put(id, { ...known, values: this.#makeValues() });
    // A removed record comes back, or another one takes the name.
    else return this.#put(`${this.#draw(this.#ids)}`, known);
    return id;
  }

  #put(id: string, record: Partial<RecordToIndex>): string {
    const values = this.#makeValues();
    const [category = null] = values;
    const nothing = { category, image: null, popularity: this.#popularity(), values, ...this.#makeNames() };
    this.records.set(id, { ...nothing, ...record, id });
    return id;
  }

  #makeNames(): Pick<RecordToIndex, "name" | "names"> {
    const name = this.#makeName();
    this.#names.push(name);
    if (this.#draw(2)) return { name, names: {} };
    const other = this.#makeName();
    this.#names.push(other);
    return { name, names: { en: name, ru: other } };
  }

  /** Some are words of names, too. */
  #makeValues(): string[] {
    return Array.from(
      { length: this.#draw(3) },
      () => this.#pick([...VALUES, ...this.#words.slice(0, 4)]) ?? "",
    );
  }

  #makeName(): string {
    return Array.from({ length: 1 + this.#draw(3) }, () => this.#pick(this.#words)).join(" ");
  }

  #popularity(): number | null {
    return this.#draw(3) === 0 ? this.#draw(4) : null;
  }

  #makeWord(): string {
    if (this.#draw(12) === 0) return this.#pick(ODD_WORDS) ?? "";
    const syllables = SYLLABLES[this.#draw(2)] ?? [];
    const word = Array.from({ length: 1 + this.#draw(4) }, () => this.#pick(syllables)).join("");
    return this.#draw(3) === 0 ? word[0]?.toUpperCase() + word.slice(1) : word;
  }

  #letter(): string {
    return this.#pick([..."abeikmorstzабвекоршыя1 -"]) ?? "";
  }

  #pick<Value>(values: readonly Value[]): Value | undefined {
    return values[this.#draw(Math.max(1, values.length))];
  }
}

/** A word of the one alphabet in letters of the other. */
function otherAlphabet(text: string): string {
  const swap = (letters: string, from: number) => {
    const [syllables, others] = [SYLLABLES[from] ?? [], SYLLABLES[1 - from] ?? []];
    return syllables.reduce((out, syllable, n) => out.replaceAll(syllable, others[n] ?? ""), letters);
  };
  const lower = text.toLowerCase();
  return swap(lower, 0) === lower ? swap(lower, 1) : swap(lower, 0);
}
