import type { Db } from "../db/connect.ts";
import type { Locale } from "../http/locale.ts";
import { type CatalogueKind, KINDS } from "../kinds/kinds.ts";
import { isKnownRelation, KNOWN_RELATIONS, MADE_OF } from "./kinds.ts";
import { relationLabel } from "./labels.ts";
import { type Group, listNeighbours, type Neighbour } from "./queries.ts";
import { listParts } from "./recipe-queries.ts";
import { describeRecipe, type RecipeView } from "./recipe-view.ts";
import { describeNeighbour, type RelatedHit } from "./related-hit.ts";

/** Of each group on an entry's page; the rest is on a page of its own. */
const SHOWN_OF_GROUP = 24;

/** What entries are related to one in the same way. */
export interface RelationGroup extends Group {
  readonly label: string;
  readonly hits: RelatedHit[];
  /** The page with all of them, where these are not all. */
  readonly allUrl: string | undefined;
  /** Of the parts, where these are all: in place of the hits. */
  readonly recipe?: RecipeView;
}

/** What is related to an entry, in groups; the parts of what is made of others as a recipe. */
export async function listRelationGroups(
  db: Db,
  kind: CatalogueKind,
  { id, attributes }: { id: string; attributes: Record<string, unknown> },
  locale: Locale,
): Promise<RelationGroup[]> {
  const end = { kind: KINDS[kind].one, id };
  const [neighbours, parts] = await Promise.all([
    listNeighbours(db, end, SHOWN_OF_GROUP + 1),
    listParts(db, end),
  ]);
  const price = typeof attributes.price === "number" ? attributes.price : undefined;
  return groupNeighbours({ kind, id }, neighbours, locale).map((group) =>
    isWholeRecipe(group) ? { ...group, recipe: describeRecipe({ kind, price }, parts, locale) } : group,
  );
}

function isWholeRecipe({ relation, direction, allUrl }: RelationGroup): boolean {
  return relation === MADE_OF && direction === "from" && allUrl === undefined;
}

/**
 * The groups of an entry's relations in the order of the page: what leads from the entry before what leads to it, known
 * kinds before others.
 * @param neighbours of each group up to one more than are shown
 */
function groupNeighbours(
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

function byDirection(a: Group, b: Group): number {
  return Number(a.direction === "to") - Number(b.direction === "to");
}

/** The place among the known kinds; other kinds come after them, in the order in which they were read. */
function rankOf({ relation }: Group): number {
  return isKnownRelation(relation) ? KNOWN_RELATIONS.indexOf(relation) : KNOWN_RELATIONS.length;
}
