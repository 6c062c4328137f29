/** A Markdown table of rows; the first is its head. */
export function tableOf([head = [], ...rows]: readonly (readonly unknown[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The value below which a share of all values is; not a number where there are none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
