import type { Request, Response } from "express";
import type { Db } from "../db/connect.ts";
import { lookUpEntries } from "../records/relations/named-entries.ts";
import { textLanguage } from "../records/text-language.ts";
import { renderPage } from "../web/pages/page.ts";
import { localeOf } from "../web/request/locale.ts";
import { shownDescription } from "../words/i18n/shown-description.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { proseOf } from "../words/text/prose.ts";
import { attributeRows, NAMED_ON_ENTRY } from "./attributes.ts";
import { describeNames } from "./entry.ts";
import { listRevisions, type RemovedEntry } from "./entry-queries.ts";
import { describeHistory } from "./history.ts";
import { listReferences } from "./linked-values.ts";

/** Answers 410 for a removed entry, with its last state, so that links to it stay useful. */
export async function showRemoved(
  db: Db,
  kind: CatalogueKind,
  entry: RemovedEntry,
  req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const everyKind = req.site.vocabulary;
  const vocabulary = everyKind.of(kind);
  const kept = await listRevisions(db, kind, entry);
  const states = [
    entry.attributes,
    ...kept.map(({ before }) => (before.attributes ?? {}) as RemovedEntry["attributes"]),
  ];
  const entries = await lookUpEntries(db, listReferences(states, vocabulary, NAMED_ON_ENTRY), everyKind);
  const categoryName = (word: string) => req.site.category(word, language).text;
  const textLang = textLanguage(entry);
  const words = { ...locale, everyKind, vocabulary, categoryName, entries, textLang };
  const description = shownDescription(entry, language);
  const names = describeNames(entry, language);
  const head = {
    title: t("catalogue.removed.title", { name: names.shown.name }),
    status: 410,
    noindex: true,
    styles: ["catalogue/catalogue", "catalogue/entry"],
  };
  await renderPage(req, res, "catalogue/removed", head, {
    kind,
    kindWords: { one: t(`kinds.${kind}.one`), many: t(`kinds.${kind}.many`), all: t(`kinds.${kind}.all`) },
    entry,
    names,
    description: proseOf(description.text),
    descriptionLang: description.lang ?? textLang,
    attributes: attributeRows(entry.attributes, { ...words, owner: { kind, id: entry.id } }),
    history: describeHistory(entry, kept, words),
  });
}
