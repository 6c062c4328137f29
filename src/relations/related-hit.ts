import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, kindOf } from "../kinds/kinds.ts";
import { amountText } from "./labels.ts";
import type { Neighbour } from "./queries.ts";

/** What is shown of a related entry. */
type Shown = Pick<
  Neighbour,
  "kind" | "id" | "name" | "names" | "category" | "picture" | "image" | "count" | "chance"
>;

/** A related entry as views/relations/lines.ejs shows it. */
export interface RelatedLine {
  readonly hit: ReturnType<typeof describeNeighbour>;
  readonly note: string | undefined;
  /** What stands above its own parts, which follow; undefined where it has none. */
  readonly opens: string | undefined;
  /** How many lists of parts end after it. */
  readonly closes: number;
}

/** A related entry with nothing below it. */
export function lineOf(kind: CatalogueKind, neighbour: Shown, locale: Locale): RelatedLine {
  return { hit: describeNeighbour(kind, neighbour, locale), note: undefined, opens: undefined, closes: 0 };
}

/** Another entry for readers, by its name in their language alone; its kind is told where it is not that of the page. */
export function describeNeighbour(kind: CatalogueKind, neighbour: Shown, locale: Locale) {
  const { name, lang } = localName(neighbour, locale.language);
  const other = kindOf(neighbour.kind);
  return {
    href: locale.paths.entry(other, neighbour.id),
    name,
    lang,
    thumb: {
      kind: other,
      category: neighbour.category,
      picture: neighbour.picture,
      image: neighbour.image,
    },
    amount: amountText(neighbour, locale),
    kind: other === kind ? undefined : { key: other, text: locale.t(`kinds.${other}.one`) },
  };
}
