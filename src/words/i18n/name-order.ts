const { compare } = new Intl.Collator("und", { numeric: true });

/**
 * Compares texts regardless of script, case and accents: "AK-47" after "Admiral", "9mm" before "10mm". The database's
 * counterpart is the collation `name_order`.
 */
export function compareNames(a: string, b: string): number {
  return compare(a, b);
}

/**
 * SQL to sort by a name as lists do: like `compareNames`, but names that begin with a digit or a sign come last. The
 * `name` is an SQL expression; its bindings, if it has any, are needed twice.
 */
export function nameOrderSql(name: string): string {
  return `${nameInitialSql(name)}, ${name} collate name_order`;
}

/** SQL for the letter that a name is found under; see the migration that created `name_initial`. */
export function nameInitialSql(name: string): string {
  return `name_initial(${name}) collate "C"`;
}
