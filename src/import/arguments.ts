import { parseArgs } from "node:util";
import { UsageError } from "../usage-error.ts";
import { FORMATS, type Format } from "./input/formats.ts";
import { IMPORT_KINDS, type ImportKind, isImportKind } from "./kinds.ts";
import type { ImportOptions } from "./options.ts";
import { parseIdSources, parseMappings } from "./records/mapping.ts";
import type { NullValue } from "./records/record-paths.ts";

/** A call of the command, understood. */
export interface ImportCall {
  readonly kind: ImportKind;
  /** A path, or "-" for standard input. */
  readonly file: string;
  readonly format: Format | undefined;
  readonly delimiter: string | undefined;
  /** Where in a JSON object the list of records is. */
  readonly list: string | undefined;
  readonly options: ImportOptions;
  readonly quiet: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  map: { type: "string", multiple: true },
  "id-from": { type: "string" },
  "keep-rest": { type: "boolean" },
  null: { type: "string", multiple: true },
  currency: { type: "string" },
  format: { type: "string" },
  delimiter: { type: "string" },
  records: { type: "string" },
  "skip-invalid": { type: "boolean" },
  "dry-run": { type: "boolean" },
  prune: { type: "boolean" },
  force: { type: "boolean" },
  quiet: { type: "boolean" },
  json: { type: "boolean" },
} as const;

/**
 * Reads the command's arguments.
 * @throws UsageError, or parseArgs' own error, in one line
 */
export function parseImportArguments(args: string[]): ImportCall {
  const { values, positionals } = parseArgs({
    args: joinNegativeNulls(args),
    options: OPTIONS,
    allowPositionals: true,
  });
  const { kind, file } = parsePositionals(positionals);
  const mappings = parseMappings(kind, values.map ?? []);
  const idFrom = values["id-from"] === undefined ? [] : parseIdSources(values["id-from"]);
  if (idFrom.length > 0 && mappings.some(({ field }) => field === "id")) {
    throw new UsageError("--id-from and --map id=… exclude each other");
  }
  const format = parseFormat(values.format);
  if (values.force && !values.prune) throw new UsageError("--force goes with --prune");
  return {
    kind,
    file,
    format,
    delimiter: parseDelimiter(values.delimiter),
    list: parseList(values.records, format),
    options: {
      mappings,
      idFrom,
      keepRest: values["keep-rest"],
      nulls: values.null?.map(parseNull),
      currency: parseCurrency(kind, values.currency),
      skipInvalid: values["skip-invalid"],
      dryRun: values["dry-run"],
      prune: values.prune,
      force: values.force,
    },
    quiet: values.quiet ?? false,
    json: values.json ?? false,
  };
}

/** parseArgs wants `--null=-1`, because `-1` could be an option; here there are no options of one letter. */
function joinNegativeNulls(args: string[]): string[] {
  return args.flatMap((arg, index) => {
    if (/^-\d/.test(arg) && args[index - 1] === "--null") return [];
    const next = args[index + 1] ?? "";
    return arg === "--null" && /^-\d/.test(next) ? [`--null=${next}`] : [arg];
  });
}

function parsePositionals(positionals: string[]): { kind: ImportKind; file: string } {
  const [kind, file, ...more] = positionals;
  if (kind === undefined) throw new UsageError(`say what to import: ${IMPORT_KINDS.join(", ")}`);
  if (!isImportKind(kind))
    throw new UsageError(`there is no kind "${kind}"; kinds are ${IMPORT_KINDS.join(", ")}`);
  if (file === undefined)
    throw new UsageError(`say which file to import ${kind} from (- for standard input)`);
  if (more.length > 0) throw new UsageError(`one file at a time: ${more.join(" ")} is too much`);
  return { kind, file };
}

function parseFormat(text: string | undefined): Format | undefined {
  const format = FORMATS.find((format) => format === text);
  if (text !== undefined && format === undefined) {
    throw new UsageError(`--format ${text}: formats are ${FORMATS.join(", ")}`);
  }
  return format;
}

function parseDelimiter(text: string | undefined): string | undefined {
  const delimiter = text === "tab" || text === "\\t" ? "\t" : text;
  if (delimiter === undefined || /^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw new UsageError(`--delimiter ${text}: say one character, or tab`);
}

function parseList(path: string | undefined, format: Format | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (format === "csv" || format === "ndjson")
    throw new UsageError(`--records is for a JSON object with a list in it, not for ${format}`);
  if (path.split(".").every((key) => key !== "")) return path;
  throw new UsageError(`--records ${path}: say the key of the list, such as items or data.items`);
}

/** Everything after the first "=" is the value, so that any value can be told when its field is. */
function parseNull(text: string): NullValue {
  const equals = text.indexOf("=");
  if (equals < 1) return { value: text.trim() };
  return { field: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() };
}

function parseCurrency(kind: ImportKind, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (kind !== "donate-items") throw new UsageError(`--currency is for donate-items; ${kind} have no price`);
  if (/^[a-z][a-z0-9]{1,11}$/i.test(text)) return text.toUpperCase();
  throw new UsageError(`--currency ${text}: say a code of 2 to 12 letters such as EUR`);
}
