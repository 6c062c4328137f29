import type { RequestHandler } from "express";
import { lookUpEntries, type NamedEntries } from "../../records/relations/named-entries.ts";
import { textLanguage } from "../../records/text-language.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { buildCacheControl } from "../../web/answers/cache-policy.ts";
import { sendBody } from "../../web/answers/send.ts";
import { computeColours } from "../../web/look/colours.ts";
import type { Site } from "../../web/look/site.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage, renderPart } from "../../web/pages/page.ts";
import { type Locale, languageVary, localeOf } from "../../web/request/locale.ts";
import { id } from "../../web/request/params.ts";
import { OPEN_TO_ANY_ORIGIN } from "../../web/server/cross-origin.ts";
import { setHeaders } from "../../web/server/headers.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { absoluteUrl, entryId, isFixedPart, paths } from "../../words/urls.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import {
  type AttributeRow,
  type AttributeWords,
  attributeLabel,
  attributeLanguage,
  attributeTint,
  isNested,
  isPlace,
  isReference,
  NAMED_IN_LINE,
  nameTint,
  shortText,
  sortAttributes,
} from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { listNewestChanges } from "../feed-queries.ts";
import { listReferences } from "../linked-values.ts";
import { listOffers } from "./entry.ts";
import { type Entry, findEntry } from "./queries.ts";

type CardFact = Pick<AttributeRow, "label" | "text" | "lang" | "tint">;

const FACTS_AT_MOST = 5;
/** In characters: what fits on a line of a card. */
const LONGEST_TEXT = 40;

const EXAMPLES = 3;

/**
 * `GET /<kind>/<id>/card`: the card that scripts show beside a link to an entry, on our pages and on other sites,
 * which may read it without cookies.
 */
export function showCard(context: CatalogueContext, kind: CatalogueKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    setHeaders(res, OPEN_TO_ANY_ORIGIN);
    res.set("X-Robots-Tag", "noindex");
    const wanted = id().safeParse(entryId(kind, req.params.id));
    if (!wanted.success || isFixedPart(kind, req.params.id)) throw notFound("page");
    const locale = localeOf(req);
    const db = await snapshotFor(req, context.db);
    const [entry, { offers, isOnSale }, known] = await Promise.all([
      findEntry(db, kind, wanted.data),
      listOffers(db, kind, { id: wanted.data }, locale),
      context.facets.read(kind),
    ]);
    if (!entry) throw notFound("page");
    const columns = known.facets.columns.map(({ key }) => key);
    const { vocabulary } = req.site;
    const said = listReferences([entry.attributes], vocabulary.of(kind), NAMED_IN_LINE);
    const named = await lookUpEntries(db, said, vocabulary);
    const html = await renderPart(req, res, "catalogue/card", {
      ...describeCard(req.site, kind, entry, columns, locale, named),
      price: offers[0]?.price,
    });
    res.set("Content-Language", locale.language);
    await sendBody(req, res, {
      type: "text/html",
      body: html,
      cacheControl: buildCacheControl(req, res, {}),
      vary: ["Cookie", ...languageVary(req)],
      dependsOn: ["catalogue", "shop"],
      isTimeSensitive: isOnSale || known.isOld,
    });
  };
}

/** Without a picture: the drawing of the category if it has one of its own. */
function glyphOfCategory(site: CardSite, kind: CatalogueKind, { category }: Entry) {
  const isDrawn = category !== null && site.vocabulary.categoryLook(category).glyph !== undefined;
  return isDrawn ? { ...site.glyph(kind, category), sprite: site.assets.url("img/icons.svg") } : undefined;
}

type CardSite = Pick<Site, "assets" | "vocabulary" | "category" | "glyph" | "thumbnail">;

/** A card but for the price, as views/catalogue/card.ejs wants it. */
export function describeCard(
  site: CardSite,
  kind: CatalogueKind,
  entry: Entry,
  columns: string[],
  locale: Locale,
  entries: NamedEntries,
) {
  const { t, language } = locale;
  const words = { ...locale, vocabulary: site.vocabulary.of(kind), textLang: textLanguage(entry), entries };
  const { name, lang } = localName(entry, language);
  const tint = nameTint(entry, words);
  return {
    kind: { key: kind, text: t(`kinds.${kind}.one`) },
    name,
    lang,
    tint,
    colours: tint === undefined ? undefined : computeColours(tint),
    category: entry.category === null ? undefined : site.category(entry.category, language),
    picture: site.thumbnail(entry, 64),
    glyph: glyphOfCategory(site, kind, entry),
    facts: cardFacts(entry.attributes, columns, words),
  };
}

/**
 * The most informative values of an entry, at most five. Values that the vocabulary orders come first. Then come
 * those in `columns`, the keys that are useful in a list, best first.
 */
export function cardFacts(
  attributes: Record<string, unknown>,
  columns: readonly string[],
  words: AttributeWords & { textLang: string | undefined },
): CardFact[] {
  const { vocabulary } = words;
  const rankOf = (key: string) => {
    const column = columns.indexOf(key);
    if (vocabulary.attribute(key)?.order !== undefined) return -1;
    return column === -1 ? columns.length : column;
  };
  return sortAttributes(attributes, vocabulary)
    .filter(([key, value]) => isTold(key, value, vocabulary))
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([key, value]) => ({
      label: attributeLabel(key, words, value),
      text: shortText(key, value, words, LONGEST_TEXT),
      lang: attributeLanguage(key, value, words),
      tint: attributeTint(key, value, words),
    }))
    .filter(({ text }) => text.length <= LONGEST_TEXT)
    .slice(0, FACTS_AT_MOST);
}

/** Leaves out what is nothing, not for people, or shown elsewhere. */
function isTold(key: string, value: unknown, vocabulary: KindVocabulary): boolean {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return false;
  if (vocabulary.referenceOf(key) !== undefined) return true;
  return !isPlace(key) && !isReference(key) && !isNested(value) && key !== "aliases";
}

/** `GET /docs/cards`: how another site shows our cards. */
export function showCardDocs(context: BaseContext): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const { t, language } = locale;
    // Half of the newest changes at most are removals.
    const db = await snapshotFor(req, context.db);
    const { entries: changes } = await listNewestChanges(db, "items", { limit: 2 * EXAMPLES });
    const newest = changes.filter((change) => !change.is_removed).slice(0, EXAMPLES);
    const head = {
      title: t("docs.cards.title"),
      description: t("docs.cards.description", { site: req.site.name }),
      styles: ["exchange/docs"],
      dependsOn: ["catalogue"] as const,
    };
    await renderPage(req, res, "catalogue/card-docs", head, {
      scriptUrl: absoluteUrl(req.site.baseUrl, paths.cardScript()),
      examples: newest.map((entry) => ({
        href: locale.paths.entry("items", entry.id),
        ...localName(entry, language),
      })),
    });
  };
}
