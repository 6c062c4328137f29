import type { MapAxes } from "../../../records/position.ts";
import { createIdMaker } from "../../../records/slug.ts";
import { type GameCodes, withoutCodes } from "../../../words/text/game-codes.ts";
import { isObject } from "../../../words/text/json.ts";
import { fieldsOf, type ImportKind } from "../kinds.ts";
import type { Aliases } from "./aliases.ts";
import type { FigureOptions } from "./figure-columns.ts";
import { isByLanguage, isLanguage } from "./languages.ts";
import {
  type FieldMapping,
  isByLanguageOnly,
  isNothing,
  type KeyedField,
  keyedField,
  type NullValue,
  type Path,
  parsePath,
  pathsOf,
  readPath,
  readSources,
  type Source,
} from "./mapping.ts";

export interface ShapeOptions {
  readonly mappings?: readonly FieldMapping[];
  /** Sources of the ids: fields and constants. */
  readonly idFrom?: readonly Source[];
  /** Keeps unmapped fields in `attributes`. */
  readonly keepRest?: boolean;
  readonly nulls?: readonly NullValue[];
  /** The game whose codes are stripped from texts; none if left out. */
  readonly codes?: GameCodes | undefined;
  /** For shop items that name none. */
  readonly currency?: string;
  /** More names of catalogue entries, for searches. */
  readonly aliases?: Aliases;
  /** Pictures for records of their names; `image` of a record then names a file of these. */
  readonly pictures?: RecordPictures;
  /** Which axes of the game make the map's plane, where they are not x to the east and y to the north. */
  readonly axes?: MapAxes | undefined;
  /** How numbers in texts are read. */
  readonly figures?: FigureOptions;
}

/** Finds the picture of a record as the column `picture` has it (see src/records/pictures/collect.ts). */
export interface RecordPictures {
  of(id: string, named?: string): string | undefined;
  unused(): string[];
}

/** A record in our own fields: only those that it has, null for one that holds nothing. */
type Candidate = Record<string, unknown>;

type Entry = [string, unknown];
type Parts = Record<KeyedField, Entry[]>;

const MANY_FIELDS = 100;

/**
 * Turns foreign records into our fields. An unmapped field is read from the field of the same name, also from
 * `names.<locale>` and `attributes.<key>` in one name, as in a CSV header.
 */
export function createShaper(kind: ImportKind, options: ShapeOptions) {
  const { idFrom = [], keepRest = false, nulls = [] } = options;
  const mappings = completeMappings(kind, options);
  const idPaths = pathsOf({ sources: idFrom });
  const asked = [...(options.mappings ?? []).flatMap(pathsOf), ...idPaths];
  const missing = new Map(asked.map((path) => [path.text, path]));
  const leftOut = new Set<string>();
  const leftovers = createLeftovers(mappings.flatMap(pathsOf));
  const makeId = createIdMaker();

  function shape(record: Record<string, unknown>): Candidate {
    const candidate: Candidate = {};
    const parts: Parts = { names: [], attributes: [], categories: [], descriptions: [], titles: [] };
    const rest: Entry[] = [];
    for (const { field, key, sources } of mappings) {
      put(
        candidate,
        parts,
        { field, key, keyed: keyedField(kind, field) },
        readSources(record, sources, nulls),
      );
    }
    for (const [name, value] of leftovers(record)) {
      const given = isNothing(name, value, nulls) ? null : value;
      const own = ownPart(kind, name, given);
      if (own) put(candidate, parts, own, given);
      else if (!keepRest) noteLeftOut(name);
      else if (given !== null) rest.push([name, given]);
    }
    combine(candidate, "names", [], parts.names);
    combine(candidate, "attributes", keepRest ? rest : [], parts.attributes);
    combine(candidate, "categories", [], parts.categories);
    combine(candidate, "descriptions", [], parts.descriptions);
    combine(candidate, "titles", [], parts.titles);
    if (keepRest) candidate.attributes ??= {};
    if (idFrom.length > 0) candidate.id = idOf(record);
    forgetFound(record);
    return takeNameFromNames(candidate);
  }

  /** Constants alone make no id. */
  function idOf(record: Record<string, unknown>): string | null {
    const values = idFrom.map((source) => readSources(record, [source], nulls));
    const isText = (value: unknown) => typeof value === "string" || typeof value === "number";
    if (!values.some((value, index) => isText(value) && idFrom[index]?.type !== "constant")) return null;
    const text = values.filter(isText).join(" ");
    return makeId(options.codes ? withoutCodes(text, options.codes) : text) || null;
  }

  function forgetFound(record: Record<string, unknown>): void {
    for (const path of missing.values()) {
      if (readPath(record, path, []) !== undefined) missing.delete(path.text);
    }
  }

  function noteLeftOut(field: string): void {
    if (leftOut.size < MANY_FIELDS && !idPaths.some((path) => path.steps[0] === field)) leftOut.add(field);
  }

  return {
    shape,
    /** Requested sources that no record so far has. */
    missingSources: () => [...missing.keys()],
    /** Fields of the records so far that were not used. */
    fieldsLeftOut: () => [...leftOut],
  };
}

/** The requested mappings, and those of fields with the same name in the source. */
function completeMappings(kind: ImportKind, options: ShapeOptions): FieldMapping[] {
  const asked = options.mappings ?? [];
  const whole = new Set(asked.filter(({ key }) => key === undefined).map(({ field }) => field));
  if (options.idFrom?.length) whole.add("id");
  const own = fieldsOf(kind).filter((field) => !whole.has(field) && !isByLanguageOnly(field));
  const byName = own.map(
    (field): FieldMapping => ({ field, sources: [{ type: "path", path: parsePath(field) }] }),
  );
  const mappings = [...byName, ...asked];
  const { currency } = options;
  if (currency === undefined) return mappings;
  return mappings.map((mapping) =>
    mapping.field === "currency"
      ? { ...mapping, sources: [...mapping.sources, { type: "constant", value: currency }] }
      : mapping,
  );
}

/** Where a value goes: a field, or a part of one that has parts. */
interface Target {
  readonly field: string;
  readonly key?: string | undefined;
  readonly keyed: KeyedField | undefined;
}

function put(candidate: Candidate, parts: Parts, { field, key, keyed }: Target, value: unknown): void {
  if (value === undefined) return;
  if (key === undefined) candidate[field] = value;
  else if (keyed) parts[keyed].push([key, value]);
}

/** Adds entries around an object's own; a value that is not an object is left for the schema to refuse. */
function combine(candidate: Candidate, field: keyof Parts, before: Entry[], after: Entry[]): void {
  if (before.length + after.length === 0) return;
  const there = candidate[field] ?? {};
  const held = after.filter(([, value]) => value !== null);
  // From entries: assigning to a key "__proto__" would set the prototype.
  if (isObject(there)) candidate[field] = Object.fromEntries([...before, ...Object.entries(there), ...held]);
}

/**
 * `names.ru` as one name, in a kind whose `names` can be filled. Foreign records have lists called `categories` too, so
 * texts of categories, descriptions and titles are only taken by language.
 */
function ownPart(kind: ImportKind, name: string, value: unknown): Target | undefined {
  if (isByLanguageOnly(name) && keyedField(kind, name) !== undefined)
    return value === null || isByLanguage(value) ? { field: name, keyed: undefined } : undefined;
  const dot = name.indexOf(".");
  const [field, key] = [name.slice(0, dot), name.slice(dot + 1)];
  const keyed = dot < 1 || key === "" ? undefined : keyedField(kind, field);
  if (keyed === undefined) return undefined;
  return isByLanguageOnly(keyed) && !isLanguage(key) ? undefined : { field, key, keyed };
}

function takeNameFromNames(candidate: Candidate): Candidate {
  if (isObject(candidate.names) && (candidate.name ?? null) === null) {
    const given = Object.entries(candidate.names).filter(([, name]) => !isNothing("", name, []));
    const [, name] = given.find(([locale]) => locale === "en") ?? given[0] ?? [];
    if (name !== undefined) candidate.name = name;
  }
  return candidate;
}

/** The parts of a record that some path reads; `true` is a whole field. */
type Used = Map<string, Used | true>;

/**
 * Makes a function that returns what no path reads, by field. Nested objects keep their other entries; a list is kept
 * whole unless each of its entries is read, since a list with gaps would mean something else.
 */
function createLeftovers(paths: readonly Path[]): (record: Record<string, unknown>) => [string, unknown][] {
  const used: Used = new Map();
  const named = new Set(paths.map((path) => path.text));
  for (const { steps } of paths) addPath(used, steps);
  return (record) => {
    const left: [string, unknown][] = [];
    for (const field of Object.keys(record)) {
      if (named.has(field)) continue;
      const value = leftOf(record[field], used.get(field));
      if (value !== undefined) left.push([field, value]);
    }
    return left;
  };
}

function addPath(used: Used, [step = "", ...rest]: readonly string[]): void {
  const there = used.get(step);
  if (there === true) return;
  if (rest.length === 0) {
    used.set(step, true);
    return;
  }
  const inner: Used = there ?? new Map();
  used.set(step, inner);
  addPath(inner, rest);
}

function leftOf(value: unknown, used: Used | true | undefined): unknown {
  if (used === true) return undefined;
  if (used === undefined) return value;
  if (Array.isArray(value))
    return value.every((_, index) => used.get(String(index)) === true) ? undefined : value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, leftOf(entry, used.get(key))] as const);
  const left = entries.filter(([, entry]) => entry !== undefined);
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}
