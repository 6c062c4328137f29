import leven from "leven";

/** The name that was probably meant, if one is near; for "perhaps …". */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const [best] = names
    .map((known) => ({ known, distance: leven(wanted, known.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  // Two letters in the wrong order are two edits.
  const most = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
  return best && best.distance <= most ? best.known : undefined;
}
