import { badInput } from "../../web/pages/errors.ts";
import { readToken, signToken } from "../../web/session/signed-token.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";

/** The order that a cursor belongs to. */
export interface CursorOf {
  readonly secret: string;
  readonly kind: string;
  readonly sort: string;
}

/** A cursor that stands for a place in a list. */
export function writeCursor<Place>({ secret, ...list }: CursorOf, place: Place): string {
  return signToken(secret, purposeOf(list), JSON.stringify(place));
}

/**
 * The place that a cursor stands for; undefined for none.
 * @throws HttpError 400 for a text that is no cursor of this order
 */
export function readCursor<Place>(
  { secret, ...list }: CursorOf,
  cursor: string | undefined,
): Place | undefined {
  if (cursor === undefined) return undefined;
  const value = readToken(secret, purposeOf(list), cursor);
  if (value === undefined) throw badInput([{ param: "cursor", message: lazyText("input.cursor") }]);
  return JSON.parse(value) as Place;
}

/** A sort may name an attribute, whose key may hold any character. */
function purposeOf(list: Omit<CursorOf, "secret">): string {
  return `cursor ${JSON.stringify([list.kind, list.sort])}`;
}
