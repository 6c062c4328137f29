import { randomBytes } from "node:crypto";
import ejs from "ejs";

/** The parts of a user that a shared page shows. */
export interface PageUser {
  readonly name: string;
  readonly unread: number;
  /** Whether a record is a favorite, by its mark such as `server:ls-one` (see src/accounts/favorites/queries.ts). */
  isFavorite(mark: string): boolean;
  /** The user's target price for an item of the shop, by its mark; blank without one. */
  wishOf(mark: string): string;
}

/** Encloses each placeholder in a rendered page. No record can contain it, and HTML escaping leaves it as it is. */
const DELIMITER = `_${randomBytes(15).toString("hex")}_`;

const RENDERERS = {
  name: ({ name }: PageUser) => ejs.escapeXML(name),
  unread: ({ unread }: PageUser) => (unread > 99 ? "99+" : String(unread)),
  unreadHidden: ({ unread }: PageUser) => (unread > 0 ? "" : "hidden"),
};

/**
 * Stands for the user while a page is rendered for all of them. `PersonalPage` replaces the placeholders for each user.
 */
export const PLACEHOLDERS = {
  name: placeholder("name"),
  unread: placeholder("unread"),
  /** The attribute that hides the number of unread notifications if there are none. */
  unreadHidden: placeholder("unreadHidden"),
  /** One of two texts without spaces, depending on whether a record is the user's favorite. */
  ifFavorite: (mark: string, yes: string, no: string) =>
    placeholder(`favorite ${encodeURIComponent(mark)} ${yes} ${no}`),
  /** The user's target price for an item of the shop. */
  wish: (mark: string) => placeholder(`wish ${encodeURIComponent(mark)}`),
};

/** A rendered page with placeholders for the personal parts. */
export class PersonalPage {
  /** Static text and placeholders, alternating. */
  readonly #parts: readonly (string | ((reader: PageUser) => string))[];
  readonly rendered: string;
  /** The records with favorite buttons on the page. */
  readonly favorites: readonly string[];

  constructor(rendered: string) {
    this.rendered = rendered;
    const favorites = new Set<string>();
    this.#parts = rendered
      .split(DELIMITER)
      .map((part, at) => (at % 2 === 0 ? part : parsePlaceholder(part, favorites)));
    this.favorites = [...favorites];
  }

  fill(reader: PageUser): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : part(reader))).join("");
  }
}

function placeholder(content: string): string {
  return DELIMITER + content + DELIMITER;
}

function parsePlaceholder(content: string, favorites: Set<string>): (reader: PageUser) => string {
  const [kind = "", encoded = "", yes = "", no = ""] = content.split(" ");
  if (kind !== "favorite" && kind !== "wish") return RENDERERS[kind as keyof typeof RENDERERS];
  const mark = decodeURIComponent(encoded);
  favorites.add(mark);
  if (kind === "wish") return (reader) => ejs.escapeXML(reader.wishOf(mark));
  return (reader) => (reader.isFavorite(mark) ? yes : no);
}
