import type { Request, RequestHandler, Response } from "express";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { actorOf } from "../../web/session/actor.ts";
import type { Mistake } from "../../words/vocabulary/places.ts";
import { answerSaved, createHead, mistakesIn, obstacleText, showTextPreview } from "./answers.ts";
import { checkText, type FormContext, type OpenFile, openFile, saveFile } from "./save.ts";

/** No file written by people is larger. */
const MOST_BYTES = 1024 * 1024;
const MISTAKES_SHOWN = 50;

interface Shown {
  readonly file: OpenFile;
  readonly text: string;
  readonly mistakes?: readonly Mistake[];
  readonly status?: number;
  readonly notice?: string;
  /** The file with another operator's changes. */
  readonly theirs?: string;
}

/** `GET /operator/vocabulary/text`: the text of the whole file. */
export function showText({ slowQueryDb: db, vocabulary }: FormContext): RequestHandler {
  return async (req, res) => {
    const file = await openFile(vocabulary);
    const { mistakes } = file.isThere ? await checkText(db, file.text) : {};
    await renderText(req, res, { file, text: file.text, mistakes });
  };
}

/** `POST`: back to the text, its preview, or saving. */
export function takeText(context: FormContext): RequestHandler {
  return async (req, res) => {
    const { t, paths } = localeOf(req);
    const file = await openFile(context.vocabulary);
    const text = textIn(req.body?.text, file);
    if (Buffer.byteLength(text) > MOST_BYTES)
      return renderText(req, res, { file, text, status: 413, notice: t("operator.vocabulary.too_large") });
    if (file.isUnreadable) {
      const stamp = typeof req.body?.stamp === "string" ? req.body.stamp : file.stamp;
      const notice = t("operator.vocabulary.unread", { code: file.obstacle ?? "" });
      return renderText(req, res, { file: { ...file, stamp }, text, status: 503, notice });
    }
    if (req.body?.stamp !== file.stamp && text !== file.text) return renderTheirs(req, res, file, text);
    if (req.body?.step === "edit") return renderText(req, res, { file, text });
    const { vocabulary, mistakes } = await checkText(context.slowQueryDb, text);
    if (!vocabulary) return renderText(req, res, { file, text, mistakes, status: 400 });
    if (text === file.text)
      return renderText(req, res, { file, text, notice: t("operator.vocabulary.nothing_changed") });
    if (req.body?.step === "save") {
      const saved = await saveFile(context.slowQueryDb, context.vocabulary, {
        text,
        stamp: file.stamp,
        by: actorOf(req),
      });
      if (saved.outcome === "saved") return answerSaved(req, res, vocabulary, paths.operatorVocabularyText());
      if (saved.outcome === "changed") return renderTheirs(req, res, saved.file, text);
      if (saved.outcome === "wrong")
        return renderText(req, res, { file, text, mistakes: saved.mistakes, status: 400 });
      const notice = t("operator.vocabulary.failed", { code: saved.code });
      return renderText(req, res, { file, text, status: 503, notice });
    }
    await showTextPreview(context, req, res, {
      file,
      text,
      vocabulary,
      title: t("operator.vocabulary.text"),
    });
  };
}

/** Forms send every line break as CR LF. */
function textIn(sent: unknown, file: OpenFile): string {
  const text = typeof sent === "string" ? sent.replace(/\r\n?/g, "\n").replace(/^\ufeff/, "") : "";
  return file.text.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}

async function renderTheirs(req: Request, res: Response, file: OpenFile, text: string): Promise<void> {
  const notice = localeOf(req).t("operator.vocabulary.text_conflict");
  await renderText(req, res, { file, text, status: 409, notice, theirs: file.text });
}

async function renderText(
  req: Request,
  res: Response,
  { file, text, mistakes = [], status, notice, theirs }: Shown,
): Promise<void> {
  const locale = localeOf(req);
  const lines = text.split(/\r\n|\r|\n/);
  await renderPage(
    req,
    res,
    "home/vocabulary-form/text",
    createHead(locale.t("operator.vocabulary.text"), status),
    {
      text,
      rows: Math.min(40, Math.max(12, lines.length + 1)),
      stamp: file.stamp,
      path: file.path,
      obstacle: obstacleText(file, locale),
      notice,
      theirs,
      mistakes: mistakesIn(mistakes.slice(0, MISTAKES_SHOWN), locale).map((mistake) => ({
        ...mistake,
        written: (lines[mistake.line - 1] ?? "").trim().slice(0, 200),
      })),
      mistakesLeft: Math.max(0, mistakes.length - MISTAKES_SHOWN),
    },
  );
}
