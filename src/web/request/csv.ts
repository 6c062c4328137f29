/** The start of a cell that spreadsheets may take for a formula: `=1+1`, `@SUM(A1)`, also in fullwidth characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Plain numbers such as `-5` or `+1.5e3` are not formulas. */
const PLAIN_NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Without this byte order mark, Excel reads a file in the computer's old code page instead of UTF-8. */
export const CSV_MARK = "\ufeff";

/** The delimiter of cells, and the format of numbers. */
export interface CsvStyle {
  delimiter: "," | ";";
  decimal: "." | ",";
}

/** The style of RFC 4180. */
const PLAIN: CsvStyle = { delimiter: ",", decimal: "." };

/**
 * The format that spreadsheets of a language expect. If numbers have a decimal comma, Excel expects semicolons between
 * cells, puts a line with commas into one cell, and reads `1.5` as a date.
 */
export function chooseCsvStyle(language: string): CsvStyle {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  const isComma = parts.some(({ type, value }) => type === "decimal" && value === ",");
  return isComma ? { delimiter: ";", decimal: "," } : PLAIN;
}

/**
 * One line of CSV with its end. Puts an apostrophe before text that a spreadsheet could take for a formula.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvLine(cells: readonly (string | number)[], style: CsvStyle = PLAIN): string {
  const texts = cells.map((cell) => {
    return typeof cell === "number" ? String(cell).replace(".", style.decimal) : harmless(cell);
  });
  // Readers skip a blank line, and with it the record.
  const line = texts.length === 1 && texts[0] === "" ? '""' : texts.map(quoted).join(style.delimiter);
  return `${line}\r\n`;
}

function harmless(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
