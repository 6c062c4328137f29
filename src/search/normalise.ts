/**
 * How names and queries are compared: NFKC, lower case, without accents, ё as е, and every run of punctuation or
 * white space as one space. Idempotent. Text of nothing but punctuation becomes "".
 *
 * Only the accents of Latin, Greek and Cyrillic go (U+0300 to U+036F): the marks of other scripts are letters of
 * their own, as is й.
 */
export function normaliseName(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}\p{So}]+/gu, " ")
    .trim();
}

/**
 * The searchable form of a record: each of its different names normalised, each between newlines, so that one
 * trigram index finds any part of any of them and a pattern can tell where a name begins and ends.
 */
export function searchText(names: Iterable<string>): string {
  const normalised = [...names].map(normaliseName).filter((name) => name !== "");
  return `\n${[...new Set(normalised)].join("\n")}\n`;
}
