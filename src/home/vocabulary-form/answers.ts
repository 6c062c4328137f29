import type { Request, Response } from "express";
import { findVocabularyWarnings } from "../../catalogue/vocabulary-warnings.ts";
import { type PageHead, renderPage } from "../../web/pages/page.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { translateText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { ownKinds } from "../../words/kinds/own-kinds.ts";
import { readOwnKinds } from "../../words/vocabulary/own-kinds.ts";
import type { Mistake } from "../../words/vocabulary/places.ts";
import type { VocabularyFile } from "../../words/vocabulary/schema.ts";
import { listDifferences, wordsIn } from "./edit-text.ts";
import { describePreview, siteWith } from "./preview.ts";
import type { FormContext, OpenFile } from "./save.ts";

/** The maximum number of differences in a preview. */
const DIFFERENCES_SHOWN = 200;
const DOUBTS_SHOWN = 20;

/** The head of every page of the form. */
export function createHead(title: string, status?: number): PageHead {
  const styles = ["catalogue/catalogue", "catalogue/entry", "catalogue/compare", "home/vocabulary-form"];
  return { title, noindex: true, keepForBack: true, styles, ...(status && { status }) };
}

/** The preview before a file is written. */
export interface Proposal {
  readonly file: OpenFile;
  readonly text: string;
  readonly vocabulary: VocabularyFile;
  readonly kinds: readonly CatalogueKind[];
  readonly chosen: readonly string[];
  /** The address of the form, and the fields that it sends again. */
  readonly action: string;
  readonly title: string;
  readonly hidden: readonly (readonly [string, string])[];
}

/** Shows the preview of a whole file, with a form that saves it or leads back to its text. */
export function showTextPreview(
  context: FormContext,
  req: Request,
  res: Response,
  {
    kinds = catalogueKinds(),
    ...proposed
  }: Pick<Proposal, "file" | "text" | "vocabulary" | "title"> & Partial<Pick<Proposal, "kinds">>,
): Promise<void> {
  const hidden = [
    ["stamp", proposed.file.stamp],
    ["text", proposed.text],
  ] as const;
  const action = localeOf(req).paths.operatorVocabularyText();
  return showPreview(context, req, res, { ...proposed, kinds, chosen: [], action, hidden });
}

/** Shows records with a vocabulary that is not saved yet. */
export async function showPreview(
  context: FormContext,
  req: Request,
  res: Response,
  { file, text, kinds, chosen, action, title, hidden, ...proposed }: Proposal,
): Promise<void> {
  const locale = localeOf(req);
  const differences = listDifferences(wordsIn(file.text) ?? {}, wordsIn(text) ?? {});
  const site = siteWith(req, context.vocabulary, proposed.vocabulary);
  const previewed = { differences, chosen, kinds };
  const languages = await describePreview(context, site, previewed, locale);
  const doubts = await findVocabularyWarnings(context.slowQueryDb, proposed.vocabulary);
  // The page's style sheet of colours is that of the new vocabulary.
  req.site = { ...req.site, tintStyle: site.tintStyle };
  await renderPage(
    req,
    res,
    "home/vocabulary-form/preview",
    createHead(locale.t("operator.vocabulary.preview")),
    {
      title,
      action,
      hidden,
      words: site,
      doubts: doubts.slice(0, DOUBTS_SHOWN).map((doubt) => translateText(doubt, locale.language)),
      differences: differences.slice(0, DIFFERENCES_SHOWN),
      differencesLeft: Math.max(0, differences.length - DIFFERENCES_SHOWN),
      changesKinds: changesKinds(proposed.vocabulary),
      obstacle: obstacleText(file, locale),
      losesComments: commentsIn(file.text) > commentsIn(text),
      languages,
    },
  );
}

/** Whether a file has other own kinds than the running site, which reads them at its start. */
function changesKinds(vocabulary: VocabularyFile): boolean {
  return JSON.stringify(readOwnKinds(vocabulary)) !== JSON.stringify(ownKinds());
}

function commentsIn(text: string): number {
  // Slashes within texts count too, but before and after alike, and the numbers are only compared.
  return text.split(/\/\/|\/\*/).length - 1;
}

/** Redirects with a message after saving: to the form, or after a change of own kinds to the overview. */
export async function answerSaved(req: Request, res: Response, vocabulary: VocabularyFile, form: string) {
  const { t, paths } = localeOf(req);
  logSecurity(req, "vocabulary.saved");
  const needsRestart = changesKinds(vocabulary);
  await leaveFlash(req, needsRestart ? t("operator.vocabulary.saved_kinds") : t("operator.vocabulary.saved"));
  res.redirect(303, needsRestart ? paths.operatorVocabulary() : form);
}

/** Mistakes of a file in the operator's language. */
export function mistakesIn(mistakes: readonly Mistake[], { language }: Pick<Locale, "language">) {
  return mistakes.map(({ line, where, message }) => ({
    line,
    where,
    message: translateText(message, language),
  }));
}

/** Why a file cannot be written, for the operator. */
export function obstacleText(
  { path, obstacle }: Pick<OpenFile, "path" | "obstacle">,
  { t }: Locale,
): string | undefined {
  if (obstacle === undefined) return undefined;
  if (path === undefined) return t("operator.vocabulary.no_place");
  return t("operator.vocabulary.obstacle", { file: path, code: obstacle });
}
