import type { Request, RequestHandler, Response } from "express";
import { languageWord } from "../../catalogue/entry/entry.ts";
import { renderPage } from "../../web/pages/page.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { OWN_GLYPHS } from "../../words/kinds/glyphs.ts";
import { createHead, mistakesIn, obstacleText, showTextPreview } from "./answers.ts";
import { editText, wordsAt, wordsIn } from "./edit-text.ts";
import { checkText, type FormContext, type OpenFile, openFile } from "./save.ts";

const NAMES = ["many", "one"] as const;

type Typed = Readonly<Record<string, string>>;

/** `GET /operator/vocabulary/new-kind`: the form of an own kind. */
export function showNewKind({ vocabulary }: FormContext): RequestHandler {
  return async (req, res) => {
    await renderNewKind(req, res, await openFile(vocabulary), {});
  };
}

/** `POST`: the preview of the file with the added kind. It is then the preview of the file's text, which saves it. */
export function takeNewKind(context: FormContext): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const file = await openFile(context.vocabulary);
    const typed = readTyped(req.body ?? {});
    const { kind = "" } = typed;
    const words = wordsIn(file.text);
    if (file.isUnreadable || !words) return res.redirect(303, locale.paths.operatorVocabularyText());
    const isThere = Object.keys(wordsAt(words, ["kinds", kind])).length > 0;
    const taken = locale.t("operator.vocabulary.new_kind.taken", { kind });
    if (isThere) return renderNewKind(req, res, file, typed, [taken]);
    const text = editText(file.text, [{ path: ["kinds", kind], value: createKind(typed) }]);
    const { vocabulary, mistakes } = await checkText(context.slowQueryDb, text);
    if (!vocabulary) {
      const found = mistakesIn(mistakes, locale).map(({ where, message }) => `${where}: ${message}`);
      return renderNewKind(req, res, file, typed, found);
    }
    const title = locale.t("operator.vocabulary.new_kind.title");
    // The new kind has no records to show yet.
    await showTextPreview(context, req, res, { file, text, vocabulary, title, kinds: [] });
  };
}

function readTyped(body: Readonly<Record<string, unknown>>): Typed {
  const texts = Object.entries(body).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(texts);
}

/** The kind's definition for the file, without blank fields. */
function createKind(typed: Typed): object {
  const names = NAMES.map((which) => {
    const texts = LANGUAGES.flatMap((language) => {
      const text = typed[`${which}-${language}`];
      return text ? [[language, text]] : [];
    });
    return [which, Object.fromEntries(texts)];
  });
  return {
    one: typed.word,
    name: Object.fromEntries(names),
    ...(typed.glyph && { glyph: typed.glyph }),
    ...(typed.colour && { colour: typed.colour }),
    ...(typed.placed && { placed: true }),
  };
}

async function renderNewKind(
  req: Request,
  res: Response,
  file: OpenFile,
  typed: Typed,
  problems: readonly string[] = [],
): Promise<void> {
  const locale = localeOf(req);
  const title = locale.t("operator.vocabulary.new_kind.title");
  await renderPage(
    req,
    res,
    "home/vocabulary-form/new-kind",
    createHead(title, problems.length > 0 ? 400 : undefined),
    {
      typed,
      problems,
      obstacle: obstacleText(file, locale),
      names: LANGUAGES.flatMap((language) => NAMES.map((which) => nameField(which, language, locale))),
      glyphs: OWN_GLYPHS.map((glyph) => [glyph, locale.t(`operator.vocabulary.glyphs.${glyph}`)]),
    },
  );
}

function nameField(which: (typeof NAMES)[number], language: string, { t, language: reader }: Locale) {
  const words = { language: languageWord(language, reader) };
  const label =
    which === "many"
      ? t("operator.vocabulary.new_kind.many", words)
      : t("operator.vocabulary.new_kind.one", words);
  return { name: `${which}-${language}`, label, lang: language, isNeeded: language === LANGUAGES[0] };
}
