import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { Recipe, RecipeLine } from "./recipe.ts";
import { describeNeighbour, lineOf, type RelatedLine, type RelatedWords } from "./related-hit.ts";

/** Whose recipe it is, and the game's own price of one, where it has one. */
interface Made {
  readonly kind: CatalogueKind;
  readonly price: number | undefined;
}

/** A recipe as views/records/relations/recipe.ejs shows it. */
export type RecipeView = ReturnType<typeof describeRecipe>;

/** The recipe of an entry for readers; what is counted of it only where all parts were read. */
export function describeRecipe(made: Made, recipe: Recipe, locale: RelatedWords) {
  const isDeep = recipe.lines.some(({ parts }) => parts > 0);
  const cost = recipe.isCut ? undefined : describeCost(made, recipe, locale);
  const totals = isDeep && !recipe.isCut ? recipe.totals : [];
  return {
    lines: recipe.lines.map((line) => describeLine(made.kind, line, locale)),
    totals: totals.map(({ part, count }) => lineOf(made.kind, { ...part, chance: null, count }, locale)),
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

/** What all parts cost, and which of them are not in that; undefined where no price is known. */
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

/** What a reader should know of a recipe that is not whole; `isCounted`: its parts are added up. */
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
