import { has, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { cutText } from "../../words/text/cut.ts";
import { isObject } from "../../words/text/json.ts";
import type { ImportOptions } from "../import/arguments.ts";
import { Unreadable } from "../import/input/unreadable.ts";
import { definitionOf, fieldsOf, type ImportKind } from "../import/kinds.ts";
import { isByLanguage, isLanguage } from "../import/records/languages.ts";
import { keyedField, parsePath } from "../import/records/mapping.ts";

/** How a source's files are read and applied, as its form says. */
export interface UploadSettings {
  /** The field of ours, or the part of one, that each field of the file becomes; blank: it is left out. */
  readonly fields: Readonly<Record<string, string>>;
  /** The path of the list in a JSON object; blank: the file is the list. */
  readonly list: string;
  readonly currency: string;
  readonly prune: boolean;
  readonly force: boolean;
  readonly skipInvalid: boolean;
  /** How often a file at an address is fetched, in hours; 0 or undefined: when an operator says so. */
  readonly everyHours?: number;
  /** Never stored: fetches set it, because operators did not choose what a publisher adds. */
  readonly onlyKnown?: boolean;
}

/** The fields of a file with the first values of each. */
export type Sample = readonly { readonly field: string; readonly values: readonly string[] }[];

const VALUES_SHOWN = 10;
/** Records that are looked through: a field of later ones only is left out of the form, and a warning names it. */
const LOOKED_THROUGH = 20_000;
const FIELDS_AT_MOST = 200;
const LONGEST_VALUE = 60;

/** Usual names of fields in other programs, in small letters. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  id: ["_id", "key", "code", "uid", "uuid", "slug", "sku", "код"],
  name: ["title", "label", "item"],
  category: ["type", "class", "group"],
  description: ["desc", "text", "info", "about"],
  image: ["img", "icon", "picture", "photo", "thumbnail"],
  popularity: ["rank", "score", "views"],
  price: ["cost", "amount"],
  online: ["players"],
  max_online: ["maxplayers", "max_players", "slots"],
  status: ["online", "up"],
};

/** Finds the fields of a file, also those that its first records lack. @throws BrokenFileError */
export async function readSample(records: AsyncIterable<unknown>): Promise<Sample> {
  const fields = new Map<string, string[]>();
  let count = 0;
  for await (const record of records) {
    for (const [field, value] of isRecord(record) ? flatten(record) : []) {
      if (!fields.has(field) && fields.size < FIELDS_AT_MOST) fields.set(field, []);
      const values = fields.get(field);
      if (values === undefined || values.length === VALUES_SHOWN) continue;
      const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
      values.push(cutText(text, LONGEST_VALUE));
    }
    if (++count === LOOKED_THROUGH) break;
  }
  return [...fields].map(([field, values]) => ({ field, values }));
}

/** A row that could not be read is for the import to refuse. */
function isRecord(record: unknown): record is Record<string, unknown> {
  return isObject(record) && !(record instanceof Unreadable);
}

/** Objects field by field, unless they are texts by language; coordinates in a list as a whole, too. */
function flatten(record: Record<string, unknown>): [string, unknown][] {
  return Object.entries(record).flatMap(([field, value]): [string, unknown][] => {
    if (isCoordinates(value)) return [[field, value], ...partsOf(field, value)];
    const isOpen = isObject(value) && !isByLanguage(value) && field !== "attributes";
    return isOpen ? partsOf(field, value) : [[field, value]];
  });
}

function partsOf(field: string, value: object): [string, unknown][] {
  return Object.entries(value).map(([key, part]) => [`${field}.${key}`, part]);
}

function isCoordinates(value: unknown): value is number[] {
  return Array.isArray(value) && [2, 3].includes(value.length) && value.every(Number.isFinite);
}

/** What columns may be called, in small letters, with what they become. */
export type Headings = ReadonlyMap<string, string>;

/**
 * What each field becomes: the same as before, else the first guess that fits its values and that no other field has. The
 * guesses are ours of this name, one with this label, one that is usually called so, and an attribute.
 */
export function guessTargets(
  kind: ImportKind,
  sample: Sample,
  headings: Headings,
  before: UploadSettings["fields"] = {},
): Record<string, string> {
  const found = new Map(
    sample.flatMap(({ field }) => (Object.hasOwn(before, field) ? [[field, before[field] ?? ""]] : [])),
  );
  const names = new Set(sample.map(({ field }) => field));
  const place = findPlace(kind, names);
  /** A list is one attribute, unless its parts have been guessed. */
  const isInParts = (field: string) =>
    found.has(`${field}.0`) || (/\.\d$/.test(field) && names.has(field.slice(0, -2)));
  const guesses = [
    (field: string) => (isTarget(kind, field) ? field : undefined),
    (field: string) => headings.get(field.toLowerCase()),
    (field: string) => findUsual(kind, field.toLowerCase()),
    (field: string) => (field.slice(0, -2) === place ? listAxes(kind, field)[0] : undefined),
    (field: string) => (keyedField(kind, "attributes") && !isInParts(field) ? `attributes.${field}` : ""),
  ];
  for (const guess of guesses) {
    for (const { field, values } of sample) {
      const target = found.has(field) ? undefined : guess(field);
      if (target === undefined || !fits(kind, target, values)) continue;
      if (target === "" || ![...found.values()].includes(target)) found.set(field, target);
    }
  }
  return Object.fromEntries(sample.map(({ field }) => [field, found.get(field) ?? ""]));
}

/** A field that is usually called so, or, for `title_ru`, its part in that language. */
function findUsual(kind: ImportKind, name: string): string | undefined {
  const [, base = "", language = ""] = /^(.+)[_.-]([a-z]{2})$/.exec(name) ?? [];
  const find = (text: string) => fieldsOf(kind).find((field) => USUAL[field]?.includes(text));
  const part = `${find(base) ?? base}.${language}`;
  return isTarget(kind, part) ? part : find(name);
}

/** The first field with coordinates in it, if no field is a coordinate. */
function findPlace(kind: ImportKind, names: ReadonlySet<string>): string | undefined {
  if (names.has("x") || names.has("y")) return undefined;
  return [...names].find((field) => listAxes(kind, field).length > 0)?.slice(0, -2);
}

/** The attributes that a part of a place may become, such as `position.x` or `position.0`: first its own axis. */
export function listAxes(kind: ImportKind, field: string): string[] {
  const part = /\.([xyz012])$/.exec(field)?.[1];
  if (part === undefined || !isCatalogueKind(kind) || !has(kind, "isPlaced")) return [];
  const own = "xyz"[Number(part)] ?? part;
  return [...new Set([own, "x", "y", "z"])].map((axis) => `attributes.${axis}`);
}

const NUMBERS = ["integer", "numeric", "double precision"];

/** Whether values may be those of a field: true, lists and objects are no numbers. */
function fits(kind: ImportKind, target: string, values: readonly string[]): boolean {
  const { content, state } = definitionOf(kind);
  const isNumber = NUMBERS.includes({ ...content, ...state }[target] ?? "");
  return !(isNumber && values.some((value) => /^(true$|false$|[[{])/.test(value)));
}

/** Whether a kind has a field, or a part of one such as `name.ru` and `attributes.speed`. */
export function isTarget(kind: ImportKind, target: string): boolean {
  const { field, key } = splitTarget(target);
  if (key === undefined) return fieldsOf(kind).includes(field);
  const keyed = keyedField(kind, field);
  return key !== "" && keyed !== undefined && (keyed === "attributes" || isLanguage(key));
}

/** Whether records of a kind need a field that nothing in the file becomes. A name in one language is enough. */
export function lacks(
  kind: ImportKind,
  ours: "name" | "currency",
  fields: UploadSettings["fields"],
): boolean {
  const targets = Object.values(fields).map((target) => target.replace(/^names?(\..+)?$/, "name"));
  return fieldsOf(kind).includes(ours) && !targets.includes(ours);
}

/** `name.ru` is a part of `names`. */
function splitTarget(target: string): { field: string; key?: string } {
  const dot = target.indexOf(".");
  if (dot === -1) return { field: target };
  const field = target.slice(0, dot);
  return { field: field === "name" ? "names" : field, key: target.slice(dot + 1) };
}

/** The options of an import with these settings. A kind whose records have ids makes them of the names, if no field has them. */
export function uploadOptions(kind: ImportKind, { fields, ...settings }: UploadSettings): ImportOptions {
  const given = Object.entries(fields).filter(([, target]) => isTarget(kind, target));
  const targets = [...new Set(given.map(([, target]) => target))];
  const sourcesOf = (target: string) =>
    given
      .filter((each) => each[1] === target)
      .map(([field]) => ({ type: "path" as const, path: parsePath(field) }));
  const ours = fieldsOf(kind);
  const unused = ours.filter((field) => Object.hasOwn(fields, field) && !targets.includes(field));
  const { currency, prune, force, skipInvalid } = settings;
  return {
    mappings: [
      ...targets.map((target) => ({ ...splitTarget(target), sources: sourcesOf(target) })),
      ...unused.map((field) => ({ field, sources: [] })),
    ],
    ...(ours.includes("id") && !targets.includes("id") && { idFrom: sourcesOf("name") }),
    ...(currency !== "" && { currency }),
    ...{ prune, force: prune && force, skipInvalid },
  };
}

/**
 * Records without the fields that are left out, because `names.ru` would be recognised by its name. With `onlyKnown`, the
 * fields that are new in the file are left out too: no operator has seen them.
 */
export async function* withoutFields(
  records: AsyncIterable<unknown>,
  { fields, onlyKnown = false }: Pick<UploadSettings, "fields" | "onlyKnown">,
): AsyncGenerator<unknown> {
  const firstPart = (field: string) => field.split(".", 1)[0];
  const known = new Set(Object.keys(fields).map(firstPart));
  const read = new Set(Object.keys(fields).flatMap((field) => (fields[field] ? [firstPart(field)] : [])));
  const isKept = (field: string) =>
    (fields[field] !== "" || read.has(field)) && (!onlyKnown || known.has(firstPart(field)));
  for await (const record of records)
    yield isRecord(record)
      ? Object.fromEntries(Object.entries(record).filter(([field]) => isKept(field)))
      : record;
}
