import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { type EntryNames, keyOf, listFirstOfGroups, nameEntries } from "./group-queries.ts";
import { isKnownRelation, KNOWN_RELATIONS, MADE_OF } from "./kinds.ts";
import { relationLabel } from "./labels.ts";
import type { End, Group, OtherEnd } from "./queries.ts";
import { readRecipe } from "./recipe.ts";
import { listParts, type Part } from "./recipe-queries.ts";
import { describeRecipe, type RecipeView } from "./recipe-view.ts";
import { attributeOf, isReferenceRelation } from "./reference-kinds.ts";
import { lineOf, type RelatedLine, type RelatedWords } from "./related-hit.ts";

/** Of each group on an entry's page; the rest is on a page of its own. */
export const SHOWN_OF_GROUP = 24;
/** More are looked at, as some of them may lead to what is not in the catalogue. */
const LOOKED_AT_OF_GROUP = 50;

/** What entries are related to one in the same way. */
export interface RelationGroup extends Group {
  readonly label: string;
  readonly lines: RelatedLine[];
  /** The page with all of them, where these are not all. */
  readonly allUrl: string | undefined;
  /** Of the parts, where these are all: in place of the lines. */
  readonly recipe?: RecipeView;
}

/** What is known of an entry's relations by its address alone. */
export interface FoundRelations {
  readonly firsts: readonly OtherEnd[];
  readonly parts: readonly Part[];
}

/** The relations that an entry's page is about; they can be read at the same time as the entry. */
export async function findRelations(db: Db, end: End): Promise<FoundRelations> {
  const [firsts, parts] = await Promise.all([
    listFirstOfGroups(db, end, LOOKED_AT_OF_GROUP),
    listParts(db, end),
  ]);
  return { firsts, parts };
}

/**
 * What is related to an entry in the order of the page: what leads from the entry before what leads to it, known kinds
 * before others. The parts of what is made of others are a recipe.
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

/** What an attribute of the entry names stands in the attribute; what was one, and is none in this vocabulary, nowhere. */
function isShown({ relation, direction }: Group, { everyKind }: RelatedWords): boolean {
  if (!isReferenceRelation(relation)) return true;
  return direction === "to" && attributeOf(relation, everyKind) !== undefined;
}

function isWholeRecipe({ relation, direction, allUrl }: RelationGroup): boolean {
  return relation === MADE_OF && direction === "from" && allUrl === undefined;
}

/** One group; none where no other end is in the catalogue. */
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
      lines: neighbours.slice(0, SHOWN_OF_GROUP).map((each) => lineOf(kind, each, locale)),
      allUrl: mayHaveMore ? locale.paths.relations(kind, id, { relation, direction }) : undefined,
    },
  ];
}

function byDirection(a: Group, b: Group): number {
  return Number(a.direction === "to") - Number(b.direction === "to");
}

/** The place among the known kinds; other kinds come after them, in the order in which they were read. */
function rankOf({ relation }: Group): number {
  return isKnownRelation(relation) ? KNOWN_RELATIONS.indexOf(relation) : KNOWN_RELATIONS.length;
}
