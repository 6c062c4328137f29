import type { Db } from "../../db/connect.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import {
  findAttribute,
  isKnownRelation,
  isReferenceRelation,
  KNOWN_RELATIONS,
  MADE_OF,
  relationLabel,
} from "./kinds.ts";
import {
  type End,
  type EntryNames,
  type Group,
  keyOf,
  listFirstOfGroups,
  nameEntries,
  type OtherEnd,
} from "./queries.ts";
import { listParts, type Part, type Recipe, type RecipeLine, readRecipe } from "./recipe.ts";
import { describeNeighbour, type RelatedLine, type RelatedWords, renderLine } from "./related-hit.ts";

/** The owner of the recipe, and the game's own price of one, if it has one. */
interface Made {
  readonly kind: CatalogueKind;
  readonly price: number | undefined;
}

/** A recipe as views/relations/recipe.ejs shows it. */
type RecipeView = ReturnType<typeof describeRecipe>;

/** The maximum number of entries of a group on an entry's page; a separate page lists all. */
const SHOWN_OF_GROUP = 24;
/**
 * How many relations of a group are read. It is more, because some may lead to entries that are not in the catalogue.
 */
const LOOKED_AT_OF_GROUP = 50;

/** Entries that are related to one in the same way. */
interface RelationGroup extends Group {
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

/** The recipe of an entry for its page. It has totals only if all parts were read. */
function describeRecipe(made: Made, recipe: Recipe, locale: RelatedWords) {
  const isDeep = recipe.lines.some(({ parts }) => parts > 0);
  const cost = recipe.isCut ? undefined : describeCost(made, recipe, locale);
  const totals = isDeep && !recipe.isCut ? recipe.totals : [];
  return {
    lines: recipe.lines.map((line) => describeLine(made.kind, line, locale)),
    totals: totals.map(({ part, count }) => renderLine(made.kind, { ...part, chance: null, count }, locale)),
    cost,
    notes: notesOf(recipe, totals.length > 0 || cost !== undefined, locale),
  };
}

function describeLine(
  kind: CatalogueKind,
  { part, parts, closes }: RecipeLine,
  locale: RelatedWords,
): RelatedLine {
  const { t, format } = locale;
  const count = part.isCounted ? part.count : null;
  return {
    hit: describeNeighbour(kind, { ...part, count }, locale),
    note: part.isCircle ? t("relations.recipe.again") : undefined,
    opens:
      parts === 0 ? undefined : t("relations.recipe.parts", { count: parts, figure: format.number(parts) }),
    closes,
  };
}

/** The cost of all parts, and which of them it leaves out; undefined if no price is known. */
function describeCost({ kind, price }: Made, { cost, totals }: Recipe, locale: RelatedWords) {
  if (cost === undefined) return undefined;
  const { format } = locale;
  const unknown = totals.filter((total) => total.cost === undefined);
  return {
    text: format.number(cost),
    own: price === undefined ? undefined : format.number(price),
    unknown: unknown.map(({ part }) => describeNeighbour(kind, part, locale)),
  };
}

/** The notes on an incomplete recipe. `isCounted`: its parts are added up. */
function notesOf(
  { isCut, hasCircle, hasUncounted, missing }: Recipe,
  isCounted: boolean,
  { t, format }: RelatedWords,
): string[] {
  return [
    isCut ? t("relations.recipe.cut") : undefined,
    hasUncounted && isCounted ? t("relations.recipe.uncounted") : undefined,
    hasCircle ? t("relations.recipe.circle") : undefined,
    missing === 0
      ? undefined
      : t("relations.recipe.missing", { count: missing, figure: format.number(missing) }),
  ].filter((note) => note !== undefined);
}
