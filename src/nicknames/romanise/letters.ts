/** What one letter becomes. */
export type LetterTable = ReadonlyMap<string, string>;

/** Reads a table written as `а=a ж=zh ь=`: a letter, and what it becomes, perhaps nothing. */
export function letterTable(text: string, base: LetterTable = new Map()): LetterTable {
  const entries = text.split(" ").map((entry): [string, string] => {
    const [letter = "", latin = ""] = entry.split("=");
    return [letter, latin];
  });
  return new Map([...base, ...entries]);
}

/** Replaces each letter by what its table says; one that the table does not have stays. */
export function spell(word: string, table: LetterTable): string {
  return Array.from(word, (letter) => table.get(letter) ?? letter).join("");
}
