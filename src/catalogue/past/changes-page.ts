import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { changesFeedLinks } from "../../discovery/feeds/feed-links.ts";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readForm } from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, catalogueKinds, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { lastOfDay, readIsoTime } from "../../words/text/time.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { NAMED_ON_ENTRY, withKindWords } from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { describeDifference } from "../entry/history.ts";
import { listReferences } from "../linked-values.ts";
import { countsText } from "./changes-feed.ts";
import { timeUntilNow } from "./input.ts";
import { COMPARED_AT_MOST, compareTimes } from "./queries.ts";

const DAY_MS = 86_400_000;
/** Changes of one kind on a page of all kinds, and on a page of its own. */
const [FEW, MANY] = [20, 100];

export const changesInput = z.object({
  from: timeUntilNow().optional(),
  to: timeUntilNow((text) => lastOfDay(text) ?? readIsoTime(text)).optional(),
  kind: z.string().refine(isCatalogueKind, zodMessage("input.one_of_list")).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** `GET /changes`: how the catalogue differs between two times, like the patch notes of a game. */
export function showChanges(context: CatalogueContext): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const { t, format, paths: local } = locale;
    const { values, errors } = readForm(changesInput, req);
    const { from: asked, to = new Date(), kind, page } = values ?? changesInput.parse({});
    const from = asked ?? new Date(to.getTime() - 7 * DAY_MS);
    if (from > to) {
      const swapped = { ...req.query, from: req.query.to, to: req.query.from } as Record<string, string>;
      return res.set("Cache-Control", "no-store").redirect(303, withQuery(local.changes(), swapped));
    }
    const reading = { db: await snapshotFor(req, context.db), site: req.site, locale, from, to };
    const kinds = kind ? [kind as CatalogueKind] : catalogueKinds();
    const sections: Section[] = [];
    // One after the other, because they share a connection.
    for (const each of kinds) sections.push(await readSection(reading, each, page, kind ? MANY : FEW));
    const here = { from: from.toISOString(), to: to.toISOString() };
    const head = {
      title: t("catalogue.changes.title"),
      description: t("catalogue.changes.description", { site: req.site.name }),
      canonical: paths.changes(),
      noindex: Object.keys(req.query).length > 0,
      styles: ["catalogue/catalogue", "catalogue/entry"],
      feeds: changesFeedLinks(req.site, locale),
      dependsOn: ["catalogue"] as const,
      // A range without an end ends now.
      isTimeSensitive: req.query.to === undefined,
      ...(errors && { status: 400 }),
    };
    await renderPage(req, res, "catalogue/changes", head, {
      ...{ from, to, kind, errors, feedUrl: local.changesFeed() },
      sections: sections.filter(({ pagination }) => pagination.total > 0),
      cutFigure: format.number(COMPARED_AT_MOST),
      kindUrl: (each: CatalogueKind, number = 1) =>
        withQuery(local.changes(), { ...here, kind: each, page: number }),
    });
  };
}

interface Reading {
  readonly db: Db;
  readonly site: Request["site"];
  readonly locale: Locale;
  readonly from: Date;
  readonly to: Date;
}

type Section = Awaited<ReturnType<typeof readSection>>;

/** The changes of a kind, by category. */
async function readSection(
  { db, site, locale, from, to }: Reading,
  kind: CatalogueKind,
  page: number,
  limit: number,
) {
  const { t, format, language, paths: local } = locale;
  const offset = (page - 1) * limit;
  const { changes, total, added, removed, isCut } = await compareTimes(
    db,
    kind,
    { from, to },
    { limit, offset },
  );
  const kindWords = withKindWords(locale, site, kind);
  const states = changes.flatMap((pair) => [pair.before?.attributes ?? {}, pair.after?.attributes ?? {}]);
  const entries = await lookUpEntries(
    db,
    listReferences(states, kindWords.vocabulary, NAMED_ON_ENTRY),
    kindWords.everyKind,
  );
  const words = { ...kindWords, entries };
  const shown = changes.flatMap(({ before, after }) => {
    const entry = after ?? before;
    const type = before === undefined ? "added" : after === undefined ? "removed" : "changed";
    const lines = before && after ? describeDifference(before, after, words) : [];
    // A change of what the operator hides is no news.
    if (!entry || (type === "changed" && lines.length === 0)) return [];
    const at = (after ? to : from).toISOString();
    const { id, category } = entry;
    return {
      ...localName(entry, language),
      category,
      type,
      lines,
      href: withQuery(local.entry(kind, id), { at }),
    };
  });
  const figures = { added, changed: total - added - removed, removed };
  return {
    kind,
    name: t(`kinds.${kind}.many`),
    counts: countsText(figures, t, format),
    pastUrl: withQuery(local.catalogue(kind), { at: from.toISOString() }),
    isCut,
    pagination: paginate(total, page, limit),
    groups: [...Map.groupBy(shown, ({ category }) => category)],
  };
}
