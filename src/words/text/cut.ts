/** The first characters of a text, then an ellipsis if it has more. By code points, so that none is cut in half. */
export function cutText(text: string, most: number): string {
  // No character has more than two code units, so the rest of a long text is not read.
  const characters = [...text.slice(0, 2 * most + 1)];
  return characters.length <= most ? text : `${characters.slice(0, most).join("")}…`;
}

/** The first of some names on one line, then an ellipsis if there are more. */
export function listFirst(names: readonly (string | number)[], most: number): string {
  return [...names.slice(0, most), ...(names.length > most ? ["…"] : [])].join(", ");
}
