/**
 * How alike two names are, 0..1, case and punctuation aside: the share of pairs of neighbouring letters that they
 * have in common (Dice's coefficient, https://en.wikipedia.org/wiki/S%C3%B8rensen%E2%80%93Dice_coefficient).
 */
export function similarity(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const common = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size === 0 ? 0 : (2 * common) / (left.size + right.size);
}

function pairsOf(name: string): Set<string> {
  const letters = ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}
