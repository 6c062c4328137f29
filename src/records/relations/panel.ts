import type { Db } from "../../db/connect.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { type EntryNames, keyOf, listFirstOfGroups, nameEntries } from "./group-queries.ts";
import { isKnownRelation, KNOWN_RELATIONS, MADE_OF } from "./kinds.ts";
import { relationLabel } from "./labels.ts";
import type { End, Group, OtherEnd } from "./queries.ts";
import { readRecipe } from "./recipe.ts";
import { listParts, type Part } from "./recipe-queries.ts";
import { describeRecipe, type RecipeView } from "./recipe-view.ts";
import { findAttribute, isReferenceRelation } from "./reference-kinds.ts";
import { type RelatedLine, type RelatedWords, renderLine } from "./related-hit.ts";

/** The maximum number of entries of a group on an entry's page; a separate page lists all. */
const SHOWN_OF_GROUP = 24;
/** How many relations of a group are read: more, as some may lead to entries that are not in the catalogue. */
const LOOKED_AT_OF_GROUP = 50;

/** Entries that are related to one in the same way. */
export interface RelationGroup extends Group {
  readonly label: string;
  readonly lines: RelatedLine[];
  /** The page with all entries, if these are not all. */
  readonly allUrl: string | undefined;
  /** The recipe, shown instead of the lines if all parts are here. */
  readonly recipe?: RecipeView;
}

/** An entry's relations, found by its kind and id. */
export interface FoundRelations {
  readonly firsts: readonly OtherEnd[];
  readonly parts: readonly Part[];
}

/** Finds the relations for an entry's page. They can be read at the same time as the entry. */
export async function findRelations(db: Db, end: End): Promise<FoundRelations> {
  const [firsts, parts] = await Promise.all([
    listFirstOfGroups(db, end, LOOKED_AT_OF_GROUP),
    listParts(db, end),
  ]);
  return { firsts, parts };
}

/**
 * Lists an entry's related entries in the order of the page. Relations from the entry come before relations to it, and
 * known kinds before others. The parts of an entry that is made of others are a recipe.
 */
export async function listRelationGroups(
  db: Db,
  kind: CatalogueKind,
  { id, attributes }: { id: string; attributes: Record<string, unknown> },
  { firsts, parts }: FoundRelations,
  locale: RelatedWords,
): Promise<RelationGroup[]> {
  const shown = firsts.filter((end) => isShown(end, locale));
  const names = await nameEntries(db, [...shown, ...parts], locale.everyKind);
  const price = typeof attributes.price === "number" ? attributes.price : undefined;
  return [...Map.groupBy(shown, ({ relation, direction }) => `${direction} ${relation}`).values()]
    .flatMap((ends) => describeGroup({ kind, id }, ends, names, locale))
    .sort((a, b) => byDirection(a, b) || rankOf(a) - rankOf(b))
    .map((group) => {
      if (!isWholeRecipe(group)) return group;
      return { ...group, recipe: describeRecipe({ kind, price }, readRecipe(parts, names), locale) };
    });
}

/** Hides entries that an attribute already shows, and those of a former attribute that the vocabulary no longer has. */
function isShown({ relation, direction }: Group, { everyKind }: RelatedWords): boolean {
  if (!isReferenceRelation(relation)) return true;
  return direction === "to" && findAttribute(relation, everyKind) !== undefined;
}

function isWholeRecipe({ relation, direction, allUrl }: RelationGroup): boolean {
  return relation === MADE_OF && direction === "from" && allUrl === undefined;
}

/** Describes one group; none if no other end is in the catalogue. */
function describeGroup(
  { kind, id }: { kind: CatalogueKind; id: string },
  ends: readonly OtherEnd[],
  names: EntryNames,
  locale: RelatedWords,
): RelationGroup[] {
  const neighbours = ends.flatMap((end) => {
    const name = names.get(keyOf(end));
    return name ? [{ ...end, ...name }] : [];
  });
  const mayHaveMore = neighbours.length > SHOWN_OF_GROUP || ends.length === LOOKED_AT_OF_GROUP;
  const [first] = ends;
  if (!first || (neighbours.length === 0 && !mayHaveMore)) return [];
  const { relation, direction } = first;
  return [
    {
      relation,
      direction,
      label: relationLabel(relation, direction, locale),
      lines: neighbours.slice(0, SHOWN_OF_GROUP).map((each) => renderLine(kind, each, locale)),
      allUrl: mayHaveMore ? locale.paths.relations(kind, id, { relation, direction }) : undefined,
    },
  ];
}

function byDirection(a: Group, b: Group): number {
  return Number(a.direction === "to") - Number(b.direction === "to");
}

/** A relation's rank: known kinds first, then the others in the order they were read. */
function rankOf({ relation }: Group): number {
  return isKnownRelation(relation) ? KNOWN_RELATIONS.indexOf(relation) : KNOWN_RELATIONS.length;
}
