/** Letter to its replacement. */
export type LetterTable = ReadonlyMap<string, string>;

/** Reads a table written as `а=a ж=zh ь=`: a letter and its replacement, which may be empty. */
export function letterTable(text: string, base: LetterTable = new Map()): LetterTable {
  const entries = text.split(" ").map((entry): [string, string] => {
    const [letter = "", latin = ""] = entry.split("=");
    return [letter, latin];
  });
  return new Map([...base, ...entries]);
}

/** Replaces each letter by its entry in the table; letters without one stay. */
export function spell(word: string, table: LetterTable): string {
  return Array.from(word, (letter) => table.get(letter) ?? letter).join("");
}
