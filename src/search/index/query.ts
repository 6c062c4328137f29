import { otherLayouts } from "../layout.ts";
import { withPlainDigits } from "../letters.ts";
import { normaliseName } from "../normalise.ts";
import { withoutSoftSigns } from "../transliterate.ts";

/** What stands between two spaces of a query, with its punctuation. */
interface Part {
  /** Normalised. */
  readonly name: string;
  readonly letters: number;
  /** The same keys on other layouts, normalised. Punctuation at its ends may be letters there. */
  readonly onOtherLayouts: readonly string[];
}

/** What somebody typed. It is read once, for all kinds of records and all classes of matches. */
export class Query {
  static of(typed: string | Query): Query {
    return typeof typed === "string" ? new Query(typed) : typed;
  }

  readonly text: string;
  /** The normalised text. */
  readonly name: string;
  readonly words: readonly string[];
  #ids: ReadonlySet<string> | undefined;
  #onOtherLayouts: readonly string[] | undefined;
  #parts: readonly Part[] | undefined;
  #spellings: readonly string[] | undefined;
  readonly #shorter = new Map<string, Query>();

  constructor(typed: string) {
    this.text = typed.trim();
    this.name = normaliseName(this.text);
    this.words = this.name.split(" ");
  }

  /**
   * The ids that it may be: as typed, in lower or upper case, and with full-width characters and the digits of other
   * scripts as plain ones.
   */
  get ids(): ReadonlySet<string> {
    if (this.#ids) return this.#ids;
    const plain = withPlainDigits(this.text.normalize("NFKC"));
    this.#ids = new Set([this.text, plain].flatMap((id) => [id, id.toLowerCase(), id.toUpperCase()]));
    return this.#ids;
  }

  /** The same keys on other keyboard layouts, normalised, likeliest first. */
  get onOtherLayouts(): readonly string[] {
    this.#onOtherLayouts ??= otherLayouts(this.text).map(normaliseName);
    return this.#onOtherLayouts;
  }

  get parts(): readonly Part[] {
    this.#parts ??= this.text.split(/\s+/).map(readPart);
    return this.#parts;
  }

  get letters(): number {
    return lettersOf(this.text);
  }

  /** The name, and what it is if some punctuation stands for soft signs. */
  get spellings(): readonly string[] {
    this.#spellings ??= [...new Set([this.name, normaliseName(withoutSoftSigns(this.text))])];
    return this.#spellings;
  }

  /** The query of some of its words. */
  only(words: readonly string[]): Query {
    const text = words.join(" ");
    const shorter = this.#shorter.get(text) ?? new Query(text);
    this.#shorter.set(text, shorter);
    return shorter;
  }
}

function readPart(text: string): Part {
  const open = text.replace(/[^\p{L}\p{N}]+$/u, "");
  const bare = open.replace(/^[^\p{L}\p{N}]+/u, "");
  const others = [...new Set([text, open, bare])].flatMap(otherLayouts).map(normaliseName);
  return { name: normaliseName(text), letters: lettersOf(text), onOtherLayouts: [...new Set(others)] };
}

/** How many letters and digits a text has. */
export function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
