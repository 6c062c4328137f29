/**
 * What makes names the same: NFKC (so `Ａnn` and `Ann` are one), without regard to case, every run of white space as
 * one space. Case is folded by way of upper case, which joins ß with ss and both forms of the small sigma.
 */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().replace(/\s+/gu, " ").trim();
}
