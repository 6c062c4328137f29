import type { RequestHandler } from "express";
import { lookUpEntries, type NamedEntries } from "../records/relations/named-entries.ts";
import { textLanguage } from "../records/text-language.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import { cacheControlOf } from "../web/answers/cache-policy.ts";
import { sendBody } from "../web/answers/send.ts";
import type { Site } from "../web/http/site.ts";
import { coloursOf } from "../web/look/tints.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPart } from "../web/pages/page.ts";
import { type Locale, languageVary, localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import { OPEN_TO_ANY_ORIGIN } from "../web/server/cors.ts";
import { setHeaders } from "../web/server/headers.ts";
import { localName } from "../words/i18n/local-name.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { entryId, isFixedPart } from "../words/urls.ts";
import { NAMED_IN_LINE, nameTint } from "./attributes.ts";
import { cardFacts } from "./card.ts";
import type { CatalogueContext } from "./context.ts";
import { listOffers } from "./entry-offers.ts";
import { type Entry, findEntry } from "./entry-queries.ts";
import { listReferences } from "./linked-values.ts";

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
      cacheControl: cacheControlOf(req, res, {}),
      vary: ["Cookie", ...languageVary(req)],
      changesWith: ["catalogue", "shop"],
      showsTime: isOnSale || known.isOld,
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
    colours: tint === undefined ? undefined : coloursOf(tint),
    category: entry.category === null ? undefined : site.category(entry.category, language),
    picture: site.thumbnail(entry, 64),
    glyph: glyphOfCategory(site, kind, entry),
    facts: cardFacts(entry.attributes, columns, words),
  };
}
