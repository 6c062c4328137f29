import { type RequestHandler, Router } from "express";
import { findVocabularyWarnings } from "../../catalogue/vocabulary-warnings.ts";
import { tintsStyle } from "../../web/look/colours.ts";
import { renderPage } from "../../web/pages/page.ts";
import { requireOperator } from "../../web/request/form.ts";
import { readLargeForm } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { keepPendingForm } from "../../web/request/pending-form.ts";
import { admitFew } from "../../web/server/admission.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { translateText } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import { createHead, mistakesIn, obstacleText } from "./answers.ts";
import { showNewKind, takeNewKind } from "./new-kind-page.ts";
import { renderTitle, showPart, takePart } from "./part-pages.ts";
import { listParts, pathOf } from "./parts.ts";
import { checkText, type FormContext, openFile } from "./save.ts";
import { showText, takeText } from "./text-page.ts";

/** Enough for a file of 1 MiB in a form's encoding, or for thirty attributes with thirty values each. */
const FORM_LIMIT = { bytes: 4 * 1024 * 1024, fields: 30_000 };
const DOUBTS_SHOWN = 50;
const COLOURS_AT_MOST = 400;

/** The pages where operators set the labels of the game's data. */
export function vocabularyFormPages(context: FormContext): Router {
  const router = Router({ caseSensitive: true });
  // Such a form may have thousands of inputs.
  const admit = admitFew();
  const readForm = [keepPendingForm("all"), requireOperator, readLargeForm(FORM_LIMIT), requireOperator];
  router.route(paths.operatorVocabulary()).get(requireOperator, showOverview(context)).all(refuseOthers);
  router.get("/operator/vocabulary/tints.css", requireOperator, sendTints);
  const forms: [string, RequestHandler, RequestHandler][] = [
    ["/operator/vocabulary/kinds/:kind", showPart(context), takePart(context)],
    [paths.operatorVocabularyShared(), showPart(context, "every-kind"), takePart(context, "every-kind")],
    [paths.operatorVocabularyCategories(), showPart(context, "categories"), takePart(context, "categories")],
    [paths.operatorVocabularyNewKind(), showNewKind(context), takeNewKind(context)],
    [paths.operatorVocabularyText(), showText(context), takeText(context)],
  ];
  for (const [path, show, take] of forms) {
    router.route(path).get(requireOperator, admit(show)).post(readForm, take).all(refuseOthers);
  }
  return router;
}

/** The file, its mistakes, and the ways to change it. */
function showOverview({ slowQueryDb: db, vocabulary }: FormContext): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const file = await openFile(vocabulary);
    const read = file.isThere ? await checkText(db, file.text) : undefined;
    const doubts = read?.vocabulary ? await findVocabularyWarnings(db, read.vocabulary) : [];
    await renderPage(
      req,
      res,
      "home/vocabulary-form/overview",
      createHead(locale.t("operator.vocabulary.title")),
      {
        path: file.path,
        isThere: file.isThere,
        obstacle: obstacleText(file, locale),
        mistakes: mistakesIn(read?.mistakes ?? [], locale),
        doubts: doubts.slice(0, DOUBTS_SHOWN).map((doubt) => translateText(doubt, locale.language)),
        parts: listParts().map((part) => ({
          title: renderTitle(part, locale),
          href: pathOf(part, locale.paths),
        })),
      },
    );
  };
}

/**
 * The colours of a preview, which no file contains yet. They are in the address, so that any process can serve them.
 */
const sendTints: RequestHandler = (req, res) => {
  const named = typeof req.query.colours === "string" ? req.query.colours.split(".") : [];
  const colours = named.filter((colour) => /^[0-9a-f]{6}$/.test(colour)).slice(0, COLOURS_AT_MOST);
  res.set("Cache-Control", "private, max-age=3600").type("css");
  res.send(tintsStyle(colours.map((colour) => `#${colour}`)));
};
