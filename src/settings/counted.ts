/** A number with its noun, for the commands' English: `1 job`, `2 jobs`. The plural takes an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
