import { hash } from "node:crypto";

/** A place in the order of a kind's changes: all of the versions before, and `position` changes of this one. */
export interface Cursor {
  readonly version: number;
  /** Undefined: the version is read to its end. */
  readonly position: number | undefined;
  /** What `tagOf` makes; undefined in a plain version, which is then taken on trust. */
  readonly tag: string | undefined;
}

/** A version, or a cursor as `cursorText` writes it. */
export const CURSOR_PATTERN = /^(\d{1,15})(?:\.(\d{1,9}))?(?:-([\da-f]{12}))?$/;

/**
 * Reads what a reader of changes sends back.
 * @throws TypeError for a text that does not match `CURSOR_PATTERN`
 */
export function readCursor(text: string): Cursor {
  const [, version, position, tag] = CURSOR_PATTERN.exec(text) ?? [];
  if (version === undefined) throw new TypeError(`no cursor: ${text}`);
  return { version: Number(version), position: position === undefined ? undefined : Number(position), tag };
}

/** A cursor as text, for an address. */
export function cursorText(version: number, tag: string, position?: number): string {
  return position === undefined ? `${version}-${tag}` : `${version}.${position}-${tag}`;
}

/**
 * Distinguishes a version from the same number in another history, and from one with records of another shape.
 * @param stamp of the version: a restored database counts the same numbers again
 * @param shape see `shapeOf`
 */
export function tagOf(stamp: string, shape: string): string {
  return hash("sha256", `${stamp} ${shape}`, "hex").slice(0, 12);
}
