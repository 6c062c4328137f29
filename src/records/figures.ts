/** Whether a comma can be the decimal mark; "seldom" if the file has decimal points. */
export type DecimalComma = "no" | "seldom" | "maybe" | "yes";

/** A number as written by a person or a spreadsheet. */
export interface Figure {
  /** As JSON and Postgres write it: `-1200.50`. */
  readonly text: string;
  readonly isPercent: boolean;
  /** Digits after the decimal mark. */
  readonly decimals: number;
  /** Written in a form that would be lost, or that codes have too: `+5`, `1e5`, `45%`, `007`, `495 123 4567`. */
  readonly isOdd: boolean;
}

/** Why a text that looks like a number is not read as one. */
export type Doubt = "comma" | "ambiguous";

const SHAPE = /^([+\-\u2212]?)([\d.,][\d.,'’\s]*?)(?:e([+-]?\d{1,3}))?(\s?%)?$/i;
/** Digits, with groups of three or without, and the digits after a decimal mark. */
const POINT = /^(\d*|\d{1,3}(?:([\s'’,])\d{3})(?:\2\d{3})*)(?:\.(\d+))?$/;
const COMMA = /^(\d*|\d{1,3}(?:([\s'’.])\d{3})(?:\2\d{3})*)(?:,(\d+))?$/;
/** One mark before three digits, which may be a decimal mark or a separator. */
const EITHER = /^[1-9]\d{0,2}[.,]\d{3}$/;
/** Phone numbers have as many digits, and spaces between them. */
const LIKE_A_PHONE = /^\d{1,3}( \d{3}){2,}$/;

/**
 * Reads a number in any format of files. A mark that may be a decimal mark or a separator of thousands is reported, not
 * guessed. Undefined for anything else.
 */
export function readFigure(written: string, comma: DecimalComma): Figure | Doubt | undefined {
  const [, sign = "", body = "", exponent, percent] = SHAPE.exec(written.trim()) ?? [];
  if (!/\d/.test(body)) return undefined;
  const parts = splitFigure(body, comma);
  if (parts === undefined || typeof parts === "string") return parts;
  const { whole, decimals } = parts;
  const minus = sign === "" || sign === "+" ? "" : "-";
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const fraction = decimals === "" ? "" : `.${decimals}`;
  const power = exponent === undefined ? "" : `e${Number(exponent)}`;
  return {
    text: `${minus}${digits}${fraction}${power}`,
    isPercent: percent !== undefined,
    decimals: decimals.length,
    isOdd:
      sign === "+" || (exponent ?? percent) !== undefined || /^0\d|^$/.test(whole) || LIKE_A_PHONE.test(body),
  };
}

function splitFigure(
  body: string,
  comma: DecimalComma,
): { whole: string; decimals: string } | Doubt | undefined {
  const hasPoint = body.includes(".");
  const hasComma = body.includes(",");
  if (EITHER.test(body)) {
    if (hasComma && (comma === "no" || comma === "seldom")) return "ambiguous";
    if (hasPoint && comma === "maybe") return "ambiguous";
  }
  const asPoint = POINT.exec(body);
  const asComma = COMMA.exec(body);
  // In files with decimal commas, a single comma is one, and a point then separates thousands.
  const commaFirst = comma !== "no" && (hasComma || comma === "yes");
  const order = comma === "no" ? [asPoint] : commaFirst ? [asComma, asPoint] : [asPoint, asComma];
  const found = order.find((match) => match !== null);
  if (!found) return hasComma && asComma ? "comma" : undefined;
  const [, whole = "", separator = "", decimals = ""] = found;
  // "255,128,000" may be three numbers, and "1.234.567" a version.
  if (decimals === "" && (separator === "," || separator === ".") && !EITHER.test(body)) return "ambiguous";
  return { whole: whole.replaceAll(/\D/g, ""), decimals };
}

/** Whether a number keeps all of its digits; ids of Steam do not. */
export function isExact({ text, decimals }: Figure): boolean {
  const number = Number(text);
  return Number.isFinite(number) && (decimals > 0 || /e/.test(text) || Number.isSafeInteger(number));
}

/** Cells that can only be read with a decimal comma, or only with a decimal point. */
const ONLY_COMMA = /^[+-]?(?:\d+|\d{1,3}(?:[.\s]\d{3})+),(?:\d{1,2}|\d{4,})$/;
const ONLY_POINT = /^[+-]?(?:\d+\.(?:\d{1,2}|\d{4,})|\d{4,}\.\d+|0\.\d+)$/;

/** The meaning of commas in the numbers of a file with another delimiter, judged by some cells. */
export function findDecimalComma(cells: readonly string[]): DecimalComma {
  if (cells.some((cell) => ONLY_COMMA.test(cell.trim()))) return "yes";
  return cells.some((cell) => ONLY_POINT.test(cell.trim())) ? "seldom" : "maybe";
}

/** Keys whose numbers name something instead of counting it: an id, a phone number, a model. */
const NAMES = new Set([
  ...["id", "ids", "uid", "uuid", "guid", "steamid", "hash", "key", "code", "codes", "pin", "serial", "sku"],
  ...["barcode", "ean", "isbn", "phone", "phones", "telephone", "tel", "fax", "mobile", "zip", "postcode"],
  ...["plate", "version", "build", "revision", "model", "seed", "number", "no", "nr", "ip", "port"],
]);

/** Whether an attribute's numbers are names, by the last word of its key: `itemId`, `phone_number`. */
export function namesBy(key: string): boolean {
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
  return NAMES.has(words.at(-1) ?? "");
}
