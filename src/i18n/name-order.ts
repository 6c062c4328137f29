const { compare } = new Intl.Collator("und", { numeric: true });

/**
 * The order of two names as people look for them, whatever their script, case and accents: "AK-47" after "Admiral",
 * "9mm" before "10mm". Negative, 0 or positive. The database's own is the collation `name_order`.
 */
export function compareNames(a: string, b: string): number {
  return compare(a, b);
}
