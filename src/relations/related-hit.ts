import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, kindOf } from "../kinds/kinds.ts";
import { amountText } from "./labels.ts";
import type { Neighbour } from "./queries.ts";

/** What is shown of a related entry. */
type Shown = Pick<Neighbour, "kind" | "id" | "name" | "names" | "count" | "chance">;

/** A related entry, as views/partials/hit.ejs wants it. */
export type RelatedHit = ReturnType<typeof describeNeighbour>;

/** Another entry for readers, by its name in their language alone; its kind is told where it is not that of the page. */
export function describeNeighbour(kind: CatalogueKind, neighbour: Shown, locale: Locale) {
  const { name, lang } = localName(neighbour, locale.language);
  const other = kindOf(neighbour.kind);
  const amount = amountText(neighbour, locale);
  return {
    href: locale.paths.entry(other, neighbour.id),
    name,
    lang,
    ...(amount !== undefined && { amount }),
    ...(other !== kind && { kind: { key: other, text: locale.t(`kinds.${other}.one`) } }),
  };
}
