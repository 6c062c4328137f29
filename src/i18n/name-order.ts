const { compare } = new Intl.Collator("und", { numeric: true });

/**
 * Compares names regardless of script, case and accents: "AK-47" after "Admiral", "9mm" before "10mm". The database's
 * counterpart is the collation `name_order`.
 */
export function compareNames(a: string, b: string): number {
  return compare(a, b);
}
