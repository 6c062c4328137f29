import type { Request, RequestHandler, Response } from "express";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { actorOf } from "../../web/session/actor.ts";
import { type LazyText, lazyText, type Translatable } from "../../words/i18n/lazy-text.ts";
import { withQuery } from "../../words/urls.ts";
import type { Mistake } from "../../words/vocabulary/places.ts";
import { readVocabulary } from "../../words/vocabulary/read.ts";
import { answerSaved, createHead, mistakesIn, obstacleText, showPreview } from "./answers.ts";
import { editText, wordsIn } from "./edit-text.ts";
import type { Words } from "./fields.ts";
import { describeForm } from "./form-view.ts";
import { listPart } from "./listing.ts";
import { findPart, listKinds, type Part, pathOf, rootOf } from "./parts.ts";
import {
  changedRows,
  editsOfRows,
  type RowErrors,
  readRows,
  rebaseRows,
  type TypedRows,
  wordsBefore,
} from "./rows.ts";
import { checkText, type FormContext, type OpenFile, openFile, saveFile } from "./save.ts";

type Params = { kind?: string };

const CHOSEN_AT_MOST = 5;

interface Shown {
  readonly part: Part;
  readonly file: OpenFile;
  readonly words: Words;
  readonly rows?: TypedRows;
  readonly errors?: RowErrors;
  readonly status?: number;
  readonly notice?: string;
  /** Mistakes that belong to no input. */
  readonly mistakes?: readonly Mistake[];
  readonly chosen?: string;
}

/** `GET`: the form of a kind, of every kind, or of the categories. */
export function showPart(context: FormContext, fixed?: Part): RequestHandler<Params> {
  return async (req, res) => {
    const part = partFor(req, fixed);
    const file = await openFile(context.vocabulary);
    const { vocabulary } = readVocabulary(file.text || "{}");
    if (!vocabulary) return renderBroken(req, res, part);
    await renderPart(context, req, res, { part, file, words: wordsIn(file.text) ?? {} });
  };
}

/** `POST`: back to the form, its preview, or saving. */
export function takePart(context: FormContext, fixed?: Part): RequestHandler<Params> {
  return async (req, res) => {
    const part = partFor(req, fixed);
    const body: Readonly<Record<string, unknown>> = req.body ?? {};
    const rows = readRows(body, part);
    const chosen = typeof body.chosen === "string" ? body.chosen : "";
    const file = await openFile(context.vocabulary);
    if (file.isUnreadable) return renderUnread(context, req, res, { part, file, rows, chosen });
    const words = wordsIn(file.text) ?? {};
    const { vocabulary: usable } = readVocabulary(file.text || "{}");
    if (!usable) return renderBroken(req, res, part, rows);
    if (body.stamp !== file.stamp)
      return renderChanged(context, req, res, { part, file, words, rows, chosen });
    if (body.step === "edit") return renderPart(context, req, res, { part, file, words, rows, chosen });
    const { edits, errors } = editsOfRows(rows, part, words);
    if (errors.size > 0)
      return renderPart(context, req, res, { part, file, words, rows, errors, chosen, status: 400 });
    const { t, paths } = localeOf(req);
    if (edits.length === 0) {
      const notice = t("operator.vocabulary.nothing_changed");
      return renderPart(context, req, res, { part, file, words, rows, chosen, notice });
    }
    const text = editText(file.text, edits);
    const refuse = (mistakes: readonly Mistake[]) => {
      const placed = placeMistakes(mistakes, rows, part);
      return renderPart(context, req, res, { part, file, words, rows, chosen, status: 400, ...placed });
    };
    const { vocabulary, mistakes } = await checkText(context.slowQueryDb, text);
    if (!vocabulary) return refuse(mistakes);
    if (body.step === "save") {
      const saved = await saveFile(context.slowQueryDb, context.vocabulary, {
        text,
        stamp: file.stamp,
        by: actorOf(req),
      });
      if (saved.outcome === "saved")
        return answerSaved(req, res, vocabulary, formUrl(part, paths, readPage(req)));
      if (saved.outcome === "changed") {
        const now = { file: saved.file, words: wordsIn(saved.file.text) ?? {} };
        return renderChanged(context, req, res, { part, ...now, rows, chosen });
      }
      if (saved.outcome === "wrong") return refuse(saved.mistakes);
      const notice = t("operator.vocabulary.failed", { code: saved.code });
      return renderPart(context, req, res, { part, file, words, rows, chosen, status: 503, notice });
    }
    await showPreview(context, req, res, {
      file,
      text,
      vocabulary,
      kinds: listKinds(part),
      chosen: chosenIds(chosen),
      action: formUrl(part, paths, readPage(req)),
      title: renderTitle(part, localeOf(req)),
      hidden: hiddenFields(file, changedRows(rows, part, words), chosen),
    });
  };
}

function partFor({ params }: Request<Params>, fixed: Part | undefined): Part {
  const part = fixed ?? findPart(params);
  if (!part) throw notFound("page");
  return part;
}

/** Ids separated by commas; one with a comma itself cannot be chosen. */
function chosenIds(text: string): string[] {
  const ids = text.split(",").map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ""))].slice(0, CHOSEN_AT_MOST);
}

/** Sends the changed rows again. */
function hiddenFields({ stamp }: OpenFile, rows: TypedRows, chosen: string): [string, string][] {
  const fields = [...rows].flatMap(([path, { was, typed }], at): [string, string][] => [
    [`${at}.path`, path],
    [`${at}.was`, JSON.stringify(was)],
    ...Object.entries(typed).map(([input, text]): [string, string] => [`${at}.${input}`, text]),
  ]);
  return [["stamp", stamp], ["chosen", chosen], ...fields];
}

/** Puts mistakes beside their inputs, if these are known. */
function placeMistakes(
  found: readonly Mistake[],
  rows: TypedRows,
  part: Part,
): { errors: RowErrors; mistakes: Mistake[] } {
  const errors = new Map<string, Record<string, Translatable>>();
  const mistakes: Mistake[] = [];
  const places = [...rows].map(([key, { path, typed }]) => {
    return { key, typed, where: [...rootOf(part), ...path].join(".") };
  });
  for (const mistake of found) {
    const place = places
      .filter(({ where }) => mistake.where.startsWith(`${where}.`))
      .sort((a, b) => b.where.length - a.where.length)[0];
    const input = place && mistake.where.slice(place.where.length + 1);
    const isInput =
      place && Object.keys(place.typed).some((each) => each === input || each.startsWith(`${input}.`));
    if (place && input !== undefined && isInput)
      errors.set(place.key, { ...errors.get(place.key), [input]: mistake.message });
    else mistakes.push(mistake);
  }
  return { errors, mistakes };
}

/** Another operator has changed the file meanwhile. The form keeps the typed values on top of that. */
async function renderChanged(
  context: FormContext,
  req: Request<Params>,
  res: Response,
  shown: Shown,
): Promise<void> {
  const { rows, conflicts } = rebaseRows(shown.rows ?? new Map(), shown.part, shown.words);
  const { t } = localeOf(req);
  // The form was sent twice, or another operator has made the same change.
  if (changedRows(rows, shown.part, shown.words).size === 0)
    return renderPart(context, req, res, { ...shown, rows, notice: t("operator.vocabulary.already") });
  const errors = [...conflicts].map(([key, theirs]) => {
    const said = Object.entries(theirs).map(([input, value]) => [input, conflictText(value)]);
    return [key, Object.fromEntries(said)] as const;
  });
  await renderPart(context, req, res, {
    ...shown,
    rows,
    errors: new Map(errors),
    status: 409,
    notice:
      errors.length > 0 ? t("operator.vocabulary.conflict") : t("operator.vocabulary.changed_meanwhile"),
  });
}

function conflictText(value: string): LazyText {
  return value === ""
    ? lazyText("operator.vocabulary.error.now_blank")
    : lazyText("operator.vocabulary.error.now", { value });
}

/** The file can no longer be read. The form keeps the typed values on top of the version that it was opened with. */
async function renderUnread(
  context: FormContext,
  req: Request<Params>,
  res: Response,
  shown: Omit<Shown, "words" | "rows"> & { readonly rows: TypedRows },
): Promise<void> {
  const { stamp: sent } = req.body ?? {};
  const stamp = typeof sent === "string" ? sent : shown.file.stamp;
  await renderPart(context, req, res, {
    ...shown,
    file: { ...shown.file, stamp },
    words: wordsBefore(shown.rows, shown.part),
    status: 503,
    notice: localeOf(req).t("operator.vocabulary.unread", { code: shown.file.obstacle ?? "" }),
  });
}

/** The file has mistakes, so the form cannot show its parts. */
async function renderBroken(
  req: Request<Params>,
  res: Response,
  part: Part,
  rows?: TypedRows,
): Promise<void> {
  const locale = localeOf(req);
  const typed = [...(rows ?? [])].flatMap(([path, row]) =>
    Object.entries(row.typed)
      .filter(([, text]) => text !== "")
      .map(([input, text]) => `${JSON.parse(path).join(" → ")} → ${input}: ${text}`),
  );
  const title = renderTitle(part, locale);
  await renderPage(req, res, "home/vocabulary-form/broken", createHead(title, 409), {
    title,
    typed: typed.join("\n"),
  });
}

async function renderPart(
  { slowQueryDb: db, vocabulary }: FormContext,
  req: Request<Params>,
  res: Response,
  {
    part,
    file,
    words,
    rows = new Map(),
    errors = new Map(),
    status,
    notice,
    mistakes = [],
    chosen = "",
  }: Shown,
): Promise<void> {
  const locale = localeOf(req);
  const listing = await listPart(db, part, words);
  // What pages would show without the file.
  const behind = vocabulary.wouldBe({}, { withDefaults: req.site.demo });
  const page = readPage(req);
  const title = renderTitle(part, locale);
  await renderPage(req, res, "home/vocabulary-form/part", createHead(title, status), {
    title,
    action: formUrl(part, locale.paths, page),
    stamp: file.stamp,
    obstacle: obstacleText(file, locale),
    notice,
    mistakes: mistakesIn(mistakes, locale),
    chosen,
    hasRecords: typeof part === "object",
    pageUrl: (wanted: number) => formUrl(part, locale.paths, wanted),
    ...describeForm({ part, words, listing, rows, errors, behind, shown: req.site.vocabulary, page }, locale),
  });
}

function readPage({ query }: Request<Params>): number {
  const page = Number(query.page);
  return Number.isSafeInteger(page) && page > 0 && page < 10_000 ? page : 1;
}

function formUrl(part: Part, paths: Locale["paths"], page: number): string {
  return withQuery(pathOf(part, paths), { page: page === 1 ? undefined : page });
}

/** The title of a page of the form. */
export function renderTitle(part: Part, { t }: Locale): string {
  if (typeof part === "object") return t(`kinds.${part.kind}.many`);
  return part === "categories" ? t("operator.vocabulary.categories") : t("operator.vocabulary.every_kind");
}
