import type { RequestHandler } from "express";
import type { PreviewCard } from "../../discovery/previews/card.ts";
import { type PreviewSite, previewGlyph, previewLook } from "../../discovery/previews/look.ts";
import { previewLocale, previewName, previewPath } from "../../discovery/previews/preview.ts";
import { priceFigure } from "../../discovery/previews/price.ts";
import { NamedEntries } from "../../records/relations/named-entries.ts";
import { storedPicture } from "../../records/stored-picture.ts";
import { textLanguage } from "../../records/text-language.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { localeOf } from "../../web/request/locale.ts";
import { id } from "../../web/request/params.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { entryId, type Paths } from "../../words/urls.ts";
import type { CatalogueContext } from "../context.ts";
import { cardFacts } from "./card.ts";
import { listOffers } from "./entry.ts";
import { type Entry, findEntry } from "./queries.ts";

/** More are no longer read at a glance. */
const FACTS = 3;
/** The length of a value, in characters; truncated sentences and addresses say little. */
const LONGEST_FACT = 20;

/** `GET /<kind>/<id>/preview/<version>.jpeg`: the picture that chats show of a link to an entry. */
export function showEntryPreview(
  context: Pick<CatalogueContext, "db" | "previews">,
  kind: CatalogueKind,
): RequestHandler<{ id: string; file: string }> {
  return context.previews.serve(async (req) => {
    const wanted = id().safeParse(entryId(kind, req.params.id));
    if (!wanted.success) return undefined;
    const db = await snapshotFor(req, context.db);
    const { language } = localeOf(req);
    const [entry, { offers }] = await Promise.all([
      findEntry(db, kind, wanted.data),
      listOffers(db, kind, { id: wanted.data }, previewLocale(language)),
    ]);
    if (!entry) return undefined;
    const card = entryCard(req.site, kind, entry, offers, language);
    return { card, path: previewPath(card, entryPreviewPath(kind, entry.id)) };
  });
}

/** The address of an entry's picture. */
export function entryPreviewPath(kind: CatalogueKind, entryId: string) {
  return (paths: Paths, file: string) => paths.entryPreview(kind, entryId, file);
}

/** An entry with its price, its most informative values, and its picture. Leaves out references to other entries. */
export function entryCard(
  site: PreviewSite,
  kind: CatalogueKind,
  entry: Entry,
  offers: Awaited<ReturnType<typeof listOffers>>["offers"],
  language: Language,
): PreviewCard {
  const locale = previewLocale(language);
  const { t } = locale;
  const { name } = localName(entry, language);
  const category = entry.category === null ? undefined : site.category(entry.category, language).text;
  const vocabulary = site.vocabulary.of(kind);
  const own = Object.entries(entry.attributes).filter(([key]) => vocabulary.referenceOf(key) === undefined);
  const words = { ...locale, vocabulary, textLang: textLanguage(entry), entries: new NamedEntries() };
  const offer = offers[0];
  return {
    language,
    kicker: [t(`kinds.${kind}.one`), category === t(`kinds.${kind}.many`) ? undefined : category]
      .filter(Boolean)
      .join(" · "),
    name: previewName([name, ...Object.values(entry.names), entry.name], entry.id),
    figure: offer && priceFigure(offer.price, offer.savedPercent, locale),
    facts: cardFacts(Object.fromEntries(own), [], words)
      .filter(({ text }) => text.length <= LONGEST_FACT)
      .slice(0, FACTS)
      .map(({ label, text }) => ({ label, text })),
    picture: storedPicture(entry.picture)?.name,
    glyphs: [previewGlyph(site, kind, entry.category)],
    look: previewLook(site),
  };
}
