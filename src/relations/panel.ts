import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, kindOf } from "../kinds/kinds.ts";
import { isKnownRelation, KNOWN_RELATIONS } from "./kinds.ts";
import { amountText, relationLabel } from "./labels.ts";
import type { Group, Neighbour } from "./queries.ts";

/** Of each group on an entry's page; the rest is on a page of its own. */
export const SHOWN_OF_GROUP = 24;

/** What entries are related to one in the same way. */
export interface RelationGroup extends Group {
  readonly label: string;
  readonly hits: RelatedHit[];
  /** The page with all of them, where these are not all. */
  readonly allUrl: string | undefined;
}

/** A related entry, as views/partials/hit.ejs wants it. */
type RelatedHit = ReturnType<typeof describeNeighbour>;

/**
 * The groups of an entry's relations in the order of the page: what leads from the entry before what leads to it, known
 * kinds before others.
 * @param neighbours of each group up to one more than are shown
 */
export function groupNeighbours(
  { kind, id }: { kind: CatalogueKind; id: string },
  neighbours: readonly Neighbour[],
  locale: Locale,
): RelationGroup[] {
  const byGroup = Map.groupBy(neighbours, ({ relation, direction }) => `${direction} ${relation}`);
  const groups = [...byGroup.values()].map((members) => {
    const [{ relation, direction } = { relation: "", direction: "from" as const }] = members;
    const hasMore = members.length > SHOWN_OF_GROUP;
    return {
      relation,
      direction,
      label: relationLabel(relation, direction, locale),
      hits: members.slice(0, SHOWN_OF_GROUP).map((member) => describeNeighbour(kind, member, locale)),
      allUrl: hasMore ? locale.paths.relations(kind, id, { relation, direction }) : undefined,
    };
  });
  return groups.sort((a, b) => byDirection(a, b) || rankOf(a) - rankOf(b));
}

/** Another entry of a relation; its kind is told where it is not that of the page. */
export function describeNeighbour(kind: CatalogueKind, neighbour: Neighbour, locale: Locale) {
  const { name, lang, original, originalLang } = localName(neighbour, locale.language);
  const other = kindOf(neighbour.kind);
  const amount = amountText(neighbour, locale);
  return {
    href: locale.paths.entry(other, neighbour.id),
    name,
    lang,
    ...(original !== undefined && { other: { name: original, lang: originalLang } }),
    ...(amount !== undefined && { amount }),
    ...(other !== kind && { kind: { key: other, text: locale.t(`kinds.${other}.one`) } }),
  };
}

function byDirection(a: Group, b: Group): number {
  return Number(a.direction === "to") - Number(b.direction === "to");
}

/** The place among the known kinds; other kinds come after them, in the order in which they were read. */
function rankOf({ relation }: Group): number {
  return isKnownRelation(relation) ? KNOWN_RELATIONS.indexOf(relation) : KNOWN_RELATIONS.length;
}
