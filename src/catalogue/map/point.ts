/** An entry on the map or in its list, in the reader's language. */
export interface Point {
  readonly id: string;
  readonly name: string;
  /** Language of the name, if known. */
  readonly lang: string | undefined;
  /** The main name, if it differs. */
  readonly original: string | undefined;
  readonly originalLang: string | undefined;
  readonly category: string | null;
  /** The drawing of public/img/icons.svg that stands for the category. */
  readonly glyph: string;
  /** The class of the category's colour, if it has one. */
  readonly tint: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly price: string | undefined;
  /** Step of the price, from 1; undefined without a price, or where no colours tell prices apart. */
  readonly step: number | undefined;
}

/** A point of the page's list. */
export interface ListedPoint extends Point {
  /** In the format of the game's commands; scripts write it from x and y. */
  readonly position: string;
  /** True if the entry is outside the map's bounds. */
  readonly isOutside: boolean;
}

/** An entry on the map as the page's script gets it. */
export interface MapPoint extends Point {
  readonly categoryLang: string | undefined;
  readonly href: string;
}
