import { otherLayouts } from "./layout.ts";
import { normaliseName } from "./normalise.ts";

/**
 * A record's names, those first that hold most of what was typed, on this keyboard layout or another: they show why it
 * was found. Names that hold as much stay in their order.
 */
export function matchedFirst<Named extends { name: string }>(
  names: readonly Named[],
  query: string,
): Named[] {
  const readings = [query, ...otherLayouts(query)].map((text) => normaliseName(text).split(" "));
  const held = ({ name }: Named) => {
    const normalised = normaliseName(name);
    return Math.max(...readings.map((words) => words.filter((word) => normalised.includes(word)).length));
  };
  return names
    .map((named) => ({ named, held: held(named) }))
    .sort((a, b) => b.held - a.held)
    .map(({ named }) => named);
}
