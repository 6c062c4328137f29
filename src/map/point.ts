/** An entry on the map or in its list, in the words of the reader. */
export interface Point {
  readonly id: string;
  readonly name: string;
  /** Language of the name, where it is known. */
  readonly lang: string | undefined;
  /** The main name, where it is another one. */
  readonly original: string | undefined;
  readonly originalLang: string | undefined;
  readonly category: string | null;
  readonly x: number;
  readonly y: number;
  /** As the game's own commands take it. */
  readonly position: string;
  readonly price: string | undefined;
  /** The map ends before it. */
  readonly isOutside: boolean;
}

/** What the page's script gets of an entry on the map. */
export interface MapPoint extends Point {
  readonly categoryLang: string | undefined;
  readonly href: string;
}
