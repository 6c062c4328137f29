import { randomBytes } from "node:crypto";
import ejs from "ejs";

/** The user who reads a page, as far as a page that many users read shows it. */
export interface PageUser {
  readonly name: string;
  /** Unread notifications. */
  readonly unread: number;
  /** Whether a record is a favorite, by its mark such as `server:ls-one` (see src/accounts/favorites/queries.ts). */
  isFavorite(mark: string): boolean;
  /** The price that they wait for of an item of the shop, by its mark; blank: none. */
  wishOf(mark: string): string;
}

/** Encloses each place in a rendered page; no record can contain it, and HTML escaping leaves it as it is. */
const DELIMITER = `_${randomBytes(15).toString("hex")}_`;

const RENDERERS = {
  name: ({ name }: PageUser) => ejs.escapeXML(name),
  unread: ({ unread }: PageUser) => (unread > 99 ? "99+" : String(unread)),
  unreadHidden: ({ unread }: PageUser) => (unread > 0 ? "" : "hidden"),
};

/**
 * The reader of a page that is rendered for all of them: holds the places where `PersonalPage` sets in what is one
 * reader's.
 */
export const PLACEHOLDERS = {
  name: placeholder("name"),
  unread: placeholder("unread"),
  /** The attribute that hides the number of unread notifications if there are none. */
  unreadHidden: placeholder("unreadHidden"),
  /** One of two texts without spaces, by whether a record is the reader's favorite. */
  ifFavorite: (mark: string, yes: string, no: string) =>
    placeholder(`favorite ${encodeURIComponent(mark)} ${yes} ${no}`),
  /** The price that the reader waits for of an item of the shop. */
  wish: (mark: string) => placeholder(`wish ${encodeURIComponent(mark)}`),
};

/** A rendered page with the places of what is its reader's alone. */
export class PersonalPage {
  /** Static text and places in turn. */
  readonly #parts: readonly (string | ((reader: PageUser) => string))[];
  /** The page with placeholders. */
  readonly rendered: string;
  /** The records whose favorite buttons the page has. */
  readonly favorites: readonly string[];

  constructor(rendered: string) {
    this.rendered = rendered;
    const favorites = new Set<string>();
    this.#parts = rendered
      .split(DELIMITER)
      .map((part, at) => (at % 2 === 0 ? part : parsePlaceholder(part, favorites)));
    this.favorites = [...favorites];
  }

  /** The page for one reader. */
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
