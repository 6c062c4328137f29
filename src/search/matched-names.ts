import { otherLayouts } from "./layout.ts";
import { normaliseName } from "./normalise.ts";

/** Puts the names with most typed words first, on this keyboard layout or another, as they show why a record was found. */
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
