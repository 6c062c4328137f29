import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { kindFeedLinks } from "../../discovery/feeds/feed-links.ts";
import { createPreview } from "../../discovery/previews/preview.ts";
import { choosePicture } from "../../records/picture.ts";
import { withoutPosition } from "../../records/position.ts";
import { relationLabel } from "../../records/relations/kinds.ts";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { type FoundRelations, findRelations, listRelationGroups } from "../../records/relations/panel.ts";
import { countRelations, listRelations } from "../../records/relations/queries.ts";
import { renderLine } from "../../records/relations/related-hit.ts";
import { groupInput } from "../../records/relations/schemas.ts";
import { textLanguage } from "../../records/text-language.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { breadcrumbList, type NamedPath } from "../../web/look/structured-data.ts";
import { badInput } from "../../web/pages/errors.ts";
import { type PageHead, renderPage } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { id } from "../../web/request/params.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { shownDescription } from "../../words/i18n/shown-description.ts";
import { type CatalogueKind, has, singularOf } from "../../words/kinds/kinds.ts";
import { renderProse } from "../../words/text/prose.ts";
import { absoluteUrl, entryId, paths, withQuery } from "../../words/urls.ts";
import {
  type AttributeWords,
  attributeLabel,
  attributeRows,
  isNested,
  isRichText,
  type KindWords,
  NAMED_ON_ENTRY,
  nameTint,
  shortText,
  sortAttributes,
  withKindWords,
} from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { listReferences } from "../linked-values.ts";
import { notThen, pastPageInput } from "../past/input.ts";
import { findEntryAt } from "../past/queries.ts";
import { describeNames, listOffers, summariseEntry } from "./entry.ts";
import { describeHistory } from "./history.ts";
import { showFormer, showMissing } from "./missing.ts";
import { entryCard, entryPreviewPath } from "./preview.ts";
import {
  type Entry,
  findEntry,
  findRemovedEntry,
  findSuccessor,
  type KeptRevision,
  listRevisions,
} from "./queries.ts";
import { listNearby, listRelated } from "./related.ts";

/** Attributes in an entry's description for search engines at most, and characters of each. */
const FACTS = 6;
const FACT_LENGTH = 40;

export const entryInput = z.object(pastPageInput);

/** The page of one entry; for a removed one, its last state; for an unknown id, a page of similar ones. */
export function showEntry(context: CatalogueContext, kind: CatalogueKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const wanted = readId(entryId(kind, req.params.id));
    const { at } = parseInput(entryInput, req);
    const db = await snapshotFor(req, context.db);
    if (at) {
      const entry = await findEntryAt(db, kind, wanted, at);
      if (!entry) throw notThen();
      return showFormer(db, kind, entry, at, req, res);
    }
    const [entry, removed, related] = await Promise.all([
      findEntry(db, kind, wanted),
      findRemovedEntry(db, kind, wanted),
      findRelations(db, { kind: singularOf(kind), id: wanted }),
    ]);
    const successor = removed && (await findSuccessor(db, kind, wanted));
    if (successor && (await findEntry(db, kind, successor))) {
      // Nothing caches it, because a merge can be undone.
      res.set("Cache-Control", "no-store");
      return res.redirect(308, localeOf(req).paths.entry(kind, successor));
    }
    if (!entry && removed) return showFormer(db, kind, removed, undefined, req, res);
    if (!entry) return showMissing(context, kind, wanted, req, res);
    const locale = localeOf(req);
    const names = describeNames(entry, locale.language);
    const textLang = textLanguage(entry);
    const description = shownDescription(entry, locale.language);
    const words = withKindWords(locale, req.site, kind);
    const { entries, ...surroundings } = await readSurroundings(
      { ...context, db },
      kind,
      entry,
      related,
      words,
    );
    const category = entry.category === null ? null : words.categoryName(entry.category);
    const head = {
      ...createHead(kind, { ...entry, category, description: description.text }, names.shown.name, {
        ...words,
        entries,
      }),
      preview: createPreview(
        entryCard(req.site, kind, entry, surroundings.offers, locale.language),
        entryPreviewPath(kind, entry.id),
        req.site,
      ),
      isArticle: true,
      structured: [breadcrumbList(req.site.baseUrl, createTrail(kind, entry, names.shown.name, words))],
      feeds: has(kind, "hasFeed") ? kindFeedLinks(req.site, kind, locale) : [],
      isTimeSensitive: surroundings.isOnSale,
    };
    await renderPage(req, res, "catalogue/entry", head, {
      kind,
      kindWords: { one: locale.t(`kinds.${kind}.one`), many: locale.t(`kinds.${kind}.many`) },
      entry,
      description: renderProse(description.text),
      descriptionLang: description.lang ?? textLang,
      names,
      picture: choosePicture(entry, req.site.imageHosts),
      nameTint: nameTint(entry, words),
      attributes: attributeRows(
        has(kind, "isPlaced") ? withoutPosition(entry.attributes) : entry.attributes,
        {
          ...words,
          entries,
          owner: { kind, id: entry.id },
          textLang,
        },
      ),
      textLang,
      richTexts: richTexts(entry.attributes, words),
      hasCategoryInTrail: entry.category !== null && !isNamedLikeKind(entry.category, kind, locale),
      categoryUrl: withQuery(locale.paths.catalogue(kind), { category: entry.category ?? undefined }),
      favorable: has(kind, "isFavorite") ? { kind: singularOf(kind), entity_id: entry.id } : undefined,
      ...entryLinks(kind, entry, names.shown.name, req, locale),
      ...surroundings,
    });
  };
}

/** Everything on the page that is not in the record itself. */
async function readSurroundings(
  context: Pick<CatalogueContext, "look" | "config"> & { db: Db },
  kind: CatalogueKind,
  entry: Entry,
  found: FoundRelations,
  locale: Locale & KindWords,
) {
  const { db } = context;
  const said = listReferences([entry.attributes], locale.vocabulary, NAMED_ON_ENTRY);
  const [offers, kept, related, nearby, relations, entries] = await Promise.all([
    listOffers(db, kind, entry, locale),
    listRevisions(db, kind, entry),
    listRelated(db, kind, entry, locale),
    listNearby(context, kind, entry, locale),
    listRelationGroups(db, kind, entry, found, locale),
    lookUpEntries(db, said, locale.everyKind),
  ]);
  const history = await readHistory(db, entry, kept, locale);
  return { ...offers, history, related, nearby, relations, entries };
}

/** The entries that attributes of earlier revisions name: one more statement, for the few that have any. */
async function readHistory(db: Db, entry: Entry, kept: readonly KeptRevision[], locale: Locale & KindWords) {
  const { vocabulary, everyKind } = locale;
  const before = kept.map((revision) => (revision.before.attributes ?? {}) as Record<string, unknown>);
  const changed = listReferences(before, vocabulary, NAMED_ON_ENTRY);
  const said =
    changed.length === 0
      ? []
      : [...changed, ...listReferences([entry.attributes], vocabulary, NAMED_ON_ENTRY)];
  const entries = await lookUpEntries(db, said, everyKind);
  return describeHistory(entry, kept, { ...locale, entries });
}

/** The way to an entry; a category with the kind's own name is left out. */
function createTrail(
  kind: CatalogueKind,
  { id, category }: Entry,
  name: string,
  locale: Locale & Pick<KindWords, "categoryName">,
): NamedPath[] {
  const { t, paths: local, categoryName } = locale;
  const list = local.catalogue(kind);
  return [
    [t(`kinds.${kind}.many`), list],
    ...(category === null || isNamedLikeKind(category, kind, locale)
      ? []
      : [[categoryName(category), withQuery(list, { category })] as const]),
    [name, local.entry(kind, id)],
  ];
}

/** Attributes of an entry in few words, as many as a description has room for. */
function listFacts(kind: CatalogueKind, { attributes }: Entry, words: AttributeWords): string[] {
  const shown = sortAttributes(
    has(kind, "isPlaced") ? withoutPosition(attributes) : attributes,
    words.vocabulary,
  );
  return shown
    .filter(([key, value]) => value !== null && !isNested(value) && !isRichText(key, value, words))
    .slice(0, FACTS)
    .map(
      ([key, value]) => `${attributeLabel(key, words, value)}: ${shortText(key, value, words, FACT_LENGTH)}`,
    );
}

function createHead(kind: CatalogueKind, entry: Entry, name: string, words: AttributeWords): PageHead {
  const { t } = words;
  return {
    title: `${name} · ${t(`kinds.${kind}.many`)}`,
    description: summariseEntry(
      entry,
      { name, kind: t(`kinds.${kind}.one`) },
      listFacts(kind, entry, words),
      t,
    ),
    canonical: paths.entry(kind, entry.id),
    scripts: [
      ...["accounts/favorites", "web/share"],
      ...(has(kind, "isCompared") ? ["catalogue/compare"] : []),
      ...(has(kind, "isPlaced") ? ["web/copy"] : []),
    ],
    styles: [
      "catalogue/catalogue",
      "catalogue/entry",
      ...(has(kind, "isPlaced") ? ["records/small-map"] : []),
    ],
    dependsOn: ["catalogue", "relations", "shop"],
  };
}

/** Keeps `Houses / Houses` out of the breadcrumb. */
function isNamedLikeKind(category: string, kind: CatalogueKind, { t }: Locale): boolean {
  return [kind, t(`kinds.${kind}.many`)].some((name) => name.toLowerCase() === category.toLowerCase());
}

function entryLinks(kind: CatalogueKind, entry: Entry, name: string, req: Request, { paths }: Locale) {
  return {
    share: { url: absoluteUrl(req.site.baseUrl, paths.entry(kind, entry.id)), title: name },
    feedUrl: has(kind, "hasFeed") ? paths.feed(kind) : undefined,
    compareUrl: has(kind, "isCompared") ? paths.compare(kind, [entry.id]) : undefined,
  };
}

/** @throws HttpError 400 for what no record could have as its id */
function readId(raw: string): string {
  const parsed = id().safeParse(raw);
  if (parsed.success) return parsed.data;
  throw badInput([{ param: "id", message: parsed.error.issues[0]?.message ?? "is not an id" }]);
}

/** The attributes of an entry that are texts in Markdown, in the order of its page. */
function richTexts(attributes: Record<string, unknown>, words: AttributeWords) {
  return sortAttributes(attributes, words.vocabulary).flatMap(([key, value]) => {
    const prose = isRichText(key, value, words) ? renderProse(value) : undefined;
    return prose ? [{ label: attributeLabel(key, words, value), description: prose }] : [];
  });
}

const PAGE_SIZE = 100;
/** An entry with more relations of one kind than this shows the first ones. */
const MOST = 10_000;

/** All entries that are related to one in the same way. */
export function showRelations(
  context: CatalogueContext,
  kind: CatalogueKind,
): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const id = readId(entryId(kind, req.params.id));
    const { relation, direction, page } = parseInput(groupInput, req);
    const [end, group] = [
      { kind: singularOf(kind), id },
      { relation, direction },
    ];
    const db = await snapshotFor(req, context.db);
    const [entry, total] = await Promise.all([
      findEntry(db, kind, id),
      countRelations(db, end, group, MOST + 1),
    ]);
    if (!entry) return showMissing(context, kind, id, req, res);
    const pagination = paginate(Math.min(total, MOST), page, PAGE_SIZE);
    const locale = { ...localeOf(req), everyKind: req.site.vocabulary };
    const range = { group, limit: PAGE_SIZE, offset: pagination.offset, words: locale.everyKind };
    const neighbours = await listRelations(db, end, range);
    const { t, format, paths } = locale;
    const { name, lang } = localName(entry, locale.language);
    const label = relationLabel(relation, direction, locale);
    const head = {
      title: `${name}: ${label}`,
      noindex: true,
      ...(total === 0 && { status: 404 }),
      styles: ["catalogue/catalogue"],
      dependsOn: ["catalogue", "relations"] as const,
    };
    await renderPage(req, res, "catalogue/relations", head, {
      trail: [
        [t(`kinds.${kind}.many`), paths.catalogue(kind)],
        [name, paths.entry(kind, id), lang],
      ],
      label,
      countText:
        total > MOST
          ? t("relations.first", { figure: format.number(MOST) })
          : t("relations.total", { count: total, figure: format.number(total) }),
      lines: neighbours.map((neighbour) => renderLine(kind, neighbour, locale)),
      pagination,
      pageUrl: (number: number) => paths.relations(kind, id, { relation, direction, page: number }),
    });
  };
}
