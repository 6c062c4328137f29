/** A figure with one decimal, or a dash. */
export function figure(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "–" : value.toFixed(1);
}

/** Lines of a table whose first row is its header; the first `left` columns hold words, the rest figures. */
export function align(rows: readonly string[][], left: number): string[] {
  const columns = rows[0] ?? [];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd());
}
