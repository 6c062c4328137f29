import type { Word } from "./languages.ts";

/** Per import. Every serving process keeps all of them in memory. */
const MOST_VALUES = 20_000;
/** Different names of one value in one language. */
const MOST_LABELS = 50;

interface Labels {
  readonly key: string;
  readonly value: string;
  readonly language: string;
  readonly counts: Map<string, number>;
}

/** Counts what records call categories and values in other languages. Where they disagree, most of them are right. */
export class WordCounts {
  readonly #known = new Map<string, Labels>();
  readonly #tooMany = new Set<string>();

  add({ key, value, language, label }: Word): void {
    const name = `${key}\0${value}\0${language}`;
    let labels = this.#known.get(name);
    if (!labels) {
      if (this.#known.size >= MOST_VALUES) {
        this.#tooMany.add(key);
        return;
      }
      labels = { key, value, language, counts: new Map() };
      this.#known.set(name, labels);
    }
    const count = labels.counts.get(label);
    if (count === undefined && labels.counts.size >= MOST_LABELS) return;
    labels.counts.set(label, (count ?? 0) + 1);
  }

  /** Each value with what most records call it; of equally many, the first by code point. */
  most(): Word[] {
    return [...this.#known.values()].map(({ counts, ...word }) => {
      const [first] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
      return { ...word, label: first?.[0] ?? "" };
    });
  }

  warnings(): string[] {
    if (this.#tooMany.size === 0) return [];
    const fields = [...this.#tooMany].map((key) => (key === "" ? "category" : `attributes.${key}`));
    return [
      `more than ${MOST_VALUES.toLocaleString("en-US")} names of values in other languages: some of ${fields.join(", ")} were left out`,
    ];
  }
}
