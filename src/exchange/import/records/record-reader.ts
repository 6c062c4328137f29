import { type DecimalComma, readFigure } from "../../../records/figures.ts";
import { type MapAxes, turnPlace } from "../../../records/position.ts";
import { quote, Refusal, readId } from "../../../records/values.ts";
import {
  type LazyText,
  lazyText,
  parseZodMessage,
  type Translatable,
  translateText,
} from "../../../words/i18n/lazy-text.ts";
import { type GameCodes, valueWithoutCodes } from "../../../words/text/game-codes.ts";
import { isObject } from "../../../words/text/json.ts";
import { toNfc } from "../../../words/text/nfc.ts";
import { Unreadable } from "../input/unreadable.ts";
import type { ImportKind } from "../kinds.ts";
import type { OptionSchemas } from "./adapter-options.ts";
import { withAliases } from "./aliases.ts";
import { createFigureColumns } from "./figure-columns.ts";
import type { FieldError } from "./json-values.ts";
import { splitLanguages, type Word } from "./languages.ts";
import { pathsOf } from "./mapping.ts";
import { type Row, readRecordId, recordSchema } from "./schemas.ts";
import { createShaper, type RecordPictures, type ShapeOptions } from "./shape.ts";

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

/** A record as its row, or with its errors and, where it could be read, its id. */
type ReadRecord =
  | { readonly id: string; readonly row: Row; readonly errors?: undefined }
  | { readonly id: string | undefined; readonly row?: undefined; readonly errors: FieldError[] };

export interface RecordReader {
  read(record: unknown): ReadRecord;
  /** Columns that some record so far had. */
  provided(): string[];
  /** What the valid records so far call categories and values in other languages. */
  words(): Word[];
  /** Attributes with texts that were numbers and others that were not, so that all must become texts. */
  mixed(): string[];
  /** What an operator should know about how the records were read. */
  warnings(): Translatable[];
}

/** Turns the records of a run into rows of their table; `adapters` are those that a server may name. */
export function createRecordReader(
  kind: ImportKind,
  options: ShapeOptions,
  adapters: OptionSchemas = {},
): RecordReader {
  const shaper = createShaper(kind, options);
  const schema = recordSchema(kind, adapters);
  const provided = new Set<string>();
  const words = new WordCounts();
  const notThere = new Set<string>();
  const figures = options.figures && createFigureColumns(options.figures);
  const idFrom = pathsOf({ sources: options.idFrom ?? [] })
    .map((path) => path.text)
    .join(", ");

  function read(given: unknown): ReadRecord {
    if (given instanceof Unreadable) return wholeRecord(given.reason);
    const record = toNfc(given);
    if (!isObject(record)) return wholeRecord(lazyText("refusals.object", { value: quote(record) }));
    const raw = shaper.shape(record);
    const split = splitLanguages(kind, options.codes ? withoutCodesIn(raw, options.codes) : raw);
    const shaped = withAliases(split.candidate, options.aliases);
    const pictured = options.pictures ? withPicture(shaped, options.pictures, notThere) : shaped;
    const { candidate: plain, texts } = withFigures(pictured, split.words);
    const candidate = options.axes ? withPlace(plain, options.axes) : plain;
    for (const field of Object.keys(candidate)) provided.add(field);
    const parsed = schema.safeParse(candidate);
    if (parsed.success && split.errors.length === 0) {
      for (const word of split.words) words.add(word);
      return {
        id: parsed.data.id,
        row: texts ? { ...parsed.data, texts: JSON.stringify(texts) } : parsed.data,
      };
    }
    const issues = parsed.error?.issues ?? [];
    const errors = [
      ...issues.map(({ path, message }) => explain(path.join("."), parseZodMessage(message))),
      ...split.errors,
    ];
    return { id: readRecordId(kind, candidate), errors };
  }

  function withFigures(given: Record<string, unknown>, labels: readonly Word[]) {
    const ours = options.figures ? plainFields(given, options.figures.comma()) : given;
    if (!figures || !isObject(ours.attributes)) return { candidate: ours };
    const labelled = new Set(labels.map(({ key }) => key));
    const { attributes, texts } = figures.read(ours.attributes, labelled);
    return { candidate: { ...ours, attributes }, texts };
  }

  function explain(field: string, reason: string | LazyText): FieldError {
    const isMissing = typeof reason === "object" && reason.key === "refusals.missing";
    if (field !== "id" || !isMissing || idFrom === "") return { field, reason };
    return { field, reason: lazyText("refusals.no_id", { fields: idFrom }) };
  }

  function warnings(): Translatable[] {
    const missing = [
      ...shaper.missingSources().map((source) => lazyText("refusals.no_field", { field: source })),
      ...(options.aliases?.warnings() ?? []),
      ...picturesNotThere(notThere),
      ...unusedPictures(options.pictures),
      ...words.warnings(),
      ...(figures?.warnings() ?? []),
    ];
    const leftOut = shaper.fieldsLeftOut();
    if (leftOut.length === 0) return missing;
    return [...missing, lazyText("refusals.left_out", { fields: leftOut.join(", ") })];
  }

  const mixed = () => figures?.mixed() ?? [];
  return { read, provided: () => [...provided], words: () => words.most(), mixed, warnings };
}

function withPlace(candidate: Record<string, unknown>, axes: MapAxes): Record<string, unknown> {
  const { attributes } = candidate;
  return isObject(attributes) ? { ...candidate, attributes: turnPlace(attributes, axes) } : candidate;
}

/** Our own fields that are numbers. */
const NUMBERS = [
  ...["price", "percent", "popularity", "count", "chance"],
  ...["position", "online", "queue", "max_online"],
];

/** The record with numbers of our own fields in the form that their checks read; anything else is left to these. */
function plainFields(candidate: Record<string, unknown>, comma: DecimalComma): Record<string, unknown> {
  const read = NUMBERS.flatMap((field): [string, string][] => {
    const value = candidate[field];
    const figure = typeof value === "string" ? readFigure(value, comma) : undefined;
    return typeof figure === "object" && !figure.isPercent ? [[field, figure.text]] : [];
  });
  return read.length > 0 ? { ...candidate, ...Object.fromEntries(read) } : candidate;
}

/** The fields that are shown as text. */
const TEXTS = new Set([
  ...["name", "names", "title", "titles", "category", "categories"],
  ...["description", "descriptions", "game", "attributes"],
]);

function withoutCodesIn(candidate: Record<string, unknown>, game: GameCodes): Record<string, unknown> {
  const entries = Object.entries(candidate);
  return Object.fromEntries(
    entries.map(([field, value]) => [field, TEXTS.has(field) ? valueWithoutCodes(value, game) : value]),
  );
}

/** A record with its picture. A name of a file in `image` is no address, so it goes no further. */
function withPicture(
  candidate: Record<string, unknown>,
  pictures: RecordPictures,
  notThere: Set<string>,
): Record<string, unknown> {
  const { image, ...others } = candidate;
  const isAddress = typeof image === "string" && /^(https?:\/\/|\/)/i.test(image.trim());
  const id = readId(candidate.id);
  const named = typeof image === "string" && !isAddress ? image.trim() : undefined;
  const picture = id instanceof Refusal ? undefined : pictures.of(id, named);
  if (named && picture === undefined) notThere.add(named);
  return { ...(named === undefined ? candidate : others), picture: picture ?? null };
}

const NAMED_AT_MOST = 5;

function unusedPictures(pictures: RecordPictures | undefined): string[] {
  const unused = pictures?.unused() ?? [];
  if (unused.length === 0) return [];
  const count = unused.length === 1 ? "1 picture is" : `${unused.length} pictures are`;
  return [`${count} of no record of the file: ${firstOf(unused)}`];
}

function picturesNotThere(names: ReadonlySet<string>): string[] {
  if (names.size === 0) return [];
  const count =
    names.size === 1 ? "1 picture that a record names is" : `${names.size} pictures that records name are`;
  return [`${count} not among the files: ${firstOf([...names])}`];
}

function firstOf(names: readonly string[]): string {
  const more = names.length > NAMED_AT_MOST ? ", …" : "";
  return (
    names
      .slice(0, NAMED_AT_MOST)
      .map((name) => translateText(quote(name)))
      .join(", ") + more
  );
}

function wholeRecord(reason: LazyText): ReadRecord {
  return { id: undefined, errors: [{ field: "", reason }] };
}

/** Counts what records call categories and values in other languages. Where they disagree, most of them are right. */
class WordCounts {
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

  warnings(): LazyText[] {
    if (this.#tooMany.size === 0) return [];
    const fields = [...this.#tooMany].map((key) => (key === "" ? "category" : `attributes.${key}`));
    const values = { most: MOST_VALUES.toLocaleString("en-US"), fields: fields.join(", ") };
    return [lazyText("refusals.many_words", values)];
  }
}
