import { BrokenFileError } from "./unreadable.ts";

/** Enough bytes to recognise every type of file below. */
export const HEAD_BYTES = 512;

const SPREADSHEET = "save the sheet as CSV (UTF-8) and import that";

/** Files often imported by mistake, by their first bytes. Source: https://en.wikipedia.org/wiki/List_of_file_signatures */
const SIGNATURES: readonly { begins: string; at?: number; what: string; instead: string }[] = [
  { begins: "PK\x03\x04", what: "a zip archive", instead: "unpack it first" },
  { begins: "PK\x05\x06", what: "an empty zip archive", instead: "unpack it first" },
  { begins: "\xd0\xcf\x11\xe0", what: "an old Excel file", instead: SPREADSHEET },
  { begins: "BZh", what: "packed with bzip2", instead: "unpack it first: bzip2 -dc" },
  { begins: "\xfd7zXZ\x00", what: "packed with xz", instead: "unpack it first: xz -dc" },
  { begins: "\x28\xb5\x2f\xfd", what: "packed with zstd", instead: "unpack it first: zstd -dc" },
  { begins: "7z\xbc\xaf\x27\x1c", what: "a 7z archive", instead: "unpack it first" },
  { begins: "Rar!\x1a\x07", what: "a rar archive", instead: "unpack it first" },
  { begins: "ustar", at: 257, what: "a tar archive", instead: "unpack it first: tar -xOf" },
  { begins: "SQLite format 3\x00", what: "an SQLite database", instead: "export its table as CSV or JSON" },
  { begins: "%PDF-", what: "a PDF", instead: "export its table as CSV" },
  { begins: "PAR1", what: "a Parquet file", instead: "convert it to NDJSON or CSV" },
];

/** Office files are zip archives; they are told apart by the name of their first file. */
const INSIDE_ZIP = /^.{30}(\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|mimetypeapplication\/vnd\.oasis)/s;

/**
 * Refuses files that are not text, saying what they are.
 * @param head the first HEAD_BYTES bytes, or all there are
 * @throws BrokenFileError
 */
export function refusePacked(head: Uint8Array): void {
  const letters = Buffer.from(head).toString("latin1");
  const found = SIGNATURES.find(({ begins, at = 0 }) => letters.startsWith(begins, at));
  if (!found) return;
  if (found.begins.startsWith("PK") && INSIDE_ZIP.test(letters))
    throw new BrokenFileError(`the file is a spreadsheet; ${SPREADSHEET}`);
  throw new BrokenFileError(`the file is ${found.what}, which an import does not read; ${found.instead}`);
}
