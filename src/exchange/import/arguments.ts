import type { Knex } from "knex";
import type { Actor } from "../../db/audit-queries.ts";
import { type MapAxes, parseAxes } from "../../records/position.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { has, isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { GameCodes } from "../../words/text/game-codes.ts";
import type { Format } from "./input/formats.ts";
import { fieldsOf, type ImportKind } from "./kinds.ts";
import { type NullValue, parseMappings, type Source } from "./records/mapping.ts";
import type { ShapeOptions } from "./records/shape.ts";

export interface ImportOptions extends ShapeOptions {
  /** Imports the valid records of a file that has invalid ones too. */
  readonly skipInvalid?: boolean;
  /** Does everything, then rolls back. */
  readonly dryRun?: boolean;
  /** Removes records that are not in the file; more than half of them only with `force`. */
  readonly prune?: boolean;
  readonly force?: boolean;
  /** Marks the records as demo records; leaves other records as they are. */
  readonly demo?: boolean;
  /** Changes single fields: demo records keep the others. */
  readonly isEdit?: boolean;
  /** Who imports, for the audit log; undefined: it is no operator's action. */
  readonly by?: Actor | undefined;
  /** Records what the run does, so that it can be undone. */
  readonly origin?: ImportOrigin;
  /**
   * More work at the end of the transaction, also of a dry run, before it is rolled back. `id`: the import's number, if
   * it changed something.
   */
  readonly complete?: (transaction: Knex.Transaction, id: number | undefined) => Promise<void>;
  /** Ends the run and rolls back. */
  readonly signal?: AbortSignal;
  /** A few records: no statistics are gathered for them. */
  readonly isSmall?: boolean;
  /** Invalid records that are reported; 50 unless said. */
  readonly reportedAtMost?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** Where the records of an import come from. */
export interface ImportOrigin {
  /** The records of the file belong to this source, and `prune` removes only its own; undefined: to none. */
  readonly source?: string | undefined;
  readonly file?: string | undefined;
}

export interface Progress {
  readonly phase: "pictures" | "reading" | "writing";
  /** How many have been read so far: pictures in the first phase, which only some imports have. */
  readonly records: number;
}

export interface ImportOptionValues {
  /** Create the database if it is missing. */
  yes?: true;
  map?: string[];
  idFrom?: Source[];
  keepRest?: true;
  null?: NullValue[];
  stripCodes?: GameCodes | undefined;
  currency?: string;
  axes?: MapAxes;
  /** The path of a file of pairs. */
  aliases?: string;
  /** The path of a folder or a ZIP archive of pictures. */
  images?: string;
  format?: Format;
  delimiter?: string;
  /** The path of the list of records in a JSON object. */
  records?: string;
  skipInvalid?: true;
  dryRun?: true;
  prune?: true;
  force?: true;
  source?: string;
  quiet?: true;
  json?: true;
}

/**
 * The options of an import of the kind.
 * @throws UsageError for options that exclude each other
 */
export function importOptions(kind: ImportKind, values: ImportOptionValues): ImportOptions {
  const { map = [], idFrom = [], null: nulls, currency, records, format, force, prune } = values;
  const mappings = parseMappings(kind, map);
  if (idFrom.length > 0 && !fieldsOf(kind).includes("id"))
    throw new UsageError(`--id-from is for records with an id; ${kind} have none`);
  if (idFrom.length > 0 && mappings.some(({ field }) => field === "id"))
    throw new UsageError("--id-from and --map id=… exclude each other");
  if (force && !prune) throw new UsageError("--force goes with --prune");
  if (records !== undefined && (format === "csv" || format === "ndjson"))
    throw new UsageError(`--records is for a JSON object with a list in it, not for ${format}`);
  if (currency !== undefined && kind !== "donate-items")
    throw new UsageError(`--currency is for donate-items; ${kind} have no price`);
  if (values.aliases !== undefined && !isCatalogueKind(kind))
    throw new UsageError(`--aliases is for entries of the catalogue; ${kind} are not searched by them`);
  if (values.images !== undefined && !isCatalogueKind(kind) && kind !== "donate-items")
    throw new UsageError(
      `--images is for entries of the catalogue and donate-items; ${kind} have no pictures`,
    );
  if (values.axes !== undefined && !(isCatalogueKind(kind) && has(kind, "isPlaced")))
    throw new UsageError(`--axes is for kinds on the map; ${kind} are on none`);
  const { keepRest, skipInvalid, dryRun, stripCodes: codes, axes } = values;
  return { mappings, idFrom, keepRest, nulls, codes, currency, axes, skipInvalid, dryRun, prune, force };
}

/** @throws UsageError, as do the parsers below */
export function parseDelimiter(text: string): string {
  const delimiter = text === "tab" || text === "\\t" ? "\t" : text;
  if (/^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw new UsageError(`--delimiter ${text}: say one character, or tab`);
}

export function parseList(path: string): string {
  if (path.split(".").every((key) => key !== "")) return path;
  throw new UsageError(`--records ${path}: say the key of the list, such as items or data.items`);
}

/** Splits at the first "=", so that a value with "=" in it can be given together with its field. */
export function parseNull(text: string): NullValue {
  const nfc = text.normalize("NFC");
  const equals = nfc.indexOf("=");
  if (equals < 1) return { value: nfc.trim() };
  return { field: nfc.slice(0, equals).trim(), value: nfc.slice(equals + 1).trim() };
}

/** The longest name of a source. */
export const SOURCE_AT_MOST = 60;

/** A text as the name of a source, if it can be one. */
export function readSourceName(text: string): string | undefined {
  const name = text.normalize("NFC").trim();
  return /^[^\p{C}]+$/u.test(name) && [...name].length <= SOURCE_AT_MOST ? name : undefined;
}

export function parseSourceName(text: string): string {
  const name = readSourceName(text);
  if (name !== undefined) return name;
  throw new UsageError(`--source ${text}: say a name of 1 to ${SOURCE_AT_MOST} characters`);
}

export function parseMapAxes(text: string): MapAxes {
  const axes = parseAxes(text);
  if (axes) return axes;
  throw new UsageError(`--axes ${text}: say what grows to the east and to the north, such as x,-z`);
}

export const CURRENCY = /^[a-z][a-z0-9]{1,11}$/i;

export function parseCurrency(text: string): string {
  if (CURRENCY.test(text)) return text.toUpperCase();
  throw new UsageError(`--currency ${text}: say a code of 2 to 12 letters such as EUR`);
}
