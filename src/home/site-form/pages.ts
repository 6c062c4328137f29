import { type Request, type RequestHandler, type Response, Router } from "express";
import { languageWord } from "../../catalogue/entry/entry.ts";
import type { LiveSettings } from "../../db/live-settings.ts";
import { readStored, saveStored } from "../../db/site-settings-queries.ts";
import { MOST_BYTES, PictureError, readPicture } from "../../records/pictures/read-picture.ts";
import { spellPicture } from "../../settings/look.ts";
import { STORABLE, type StoredSettings } from "../../settings/stored.ts";
import type { AppConfig, BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import {
  confirmOperator,
  readForm,
  readTypedForm,
  requireOperator,
  typedText,
} from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { zoneChoices, zoneNamed } from "../../web/request/time-zones.ts";
import { readUpload } from "../../web/request/upload.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { lazyText, type Translatable, translateText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind, listSections } from "../../words/kinds/kinds.ts";
import { paths } from "../../words/urls.ts";
import { fieldsOf, readChanges, shownSlots, siteForm, type Typed, typedFields } from "./fields.ts";
import { sendTestMail } from "./test-mail.ts";

const LOGO_KIB = 512;

type Context = BaseContext & { settings: LiveSettings<AppConfig> };

/** The typed texts and their errors, by field. */
interface FormState {
  readonly typed?: Typed;
  readonly errors?: Readonly<Record<string, string>>;
  readonly isStale?: boolean;
  readonly status?: number;
}

/** The page where operators change the site's settings. */
export function sitePages(context: Context): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operatorSite())
    .get(requireOperator, (req, res) => renderForm(context, req, res))
    .post(readTypedForm(typedFields()), requireOperator, takeForm(context))
    .all(refuseOthers);
  router
    .route(paths.operatorSiteLogo())
    .post(requireOperator, readUpload(MOST_BYTES), requireOperator, takeLogo(context))
    .all(refuseOthers);
  return router;
}

function takeForm(context: Context): RequestHandler {
  const { config, db, log, settings } = context;
  return async (req, res) => {
    const { values, errors } = readForm(siteForm(), req);
    const typed = values ? (values as Typed) : typedText(req, typedFields());
    if (!values) return renderForm(context, req, res, { typed, errors, status: 400 });
    const locale = localeOf(req);
    const { stored } = await readStored(db, config.sessionSecret);
    const zone = typed.zone ? zoneNamed(typed.zone) : zoneOf(req);
    if (zone === undefined) {
      const texts = { label: locale.t("operator.form.zone"), message: locale.t("operator.error.zone") };
      const errors = { zone: locale.t("input.sentence", texts) };
      return renderForm(context, req, res, { typed, errors, status: 400 });
    }
    const { changes, errors: wrong } = readChanges(typed, { stored, given: config.given, zone });
    if (Object.keys(wrong).length > 0) {
      const texts = Object.entries(wrong).map(([name, error]) => [
        name,
        translateText(error, locale.language),
      ]);
      return renderForm(context, req, res, { typed, errors: Object.fromEntries(texts), status: 400 });
    }
    if (Object.keys(changes).length > 0) {
      const isSaved = await saveStored(db, actorOf(req), config.sessionSecret, changes, typed.seen);
      if (!isSaved) return renderForm(context, req, res, { typed, isStale: true, status: 409 });
      await settings.follow(db);
    }
    const test =
      typed.step === "test"
        ? await sendTestMail(settings.config, { to: typed.to ?? "", log, locale })
        : undefined;
    await leaveFlash(req, test?.text ?? locale.t("site_settings.saved"), test);
    res.redirect(303, locale.paths.operatorSite());
  };
}

function takeLogo(context: Context): RequestHandler {
  const { config, db, settings } = context;
  return async (req, res) => {
    const { upload, body } = req;
    const { t, language, paths } = localeOf(req);
    const again = (SITE_LOGO: string, status = 400) =>
      renderForm(context, req, res, { errors: { SITE_LOGO }, status });
    if (config.given.SITE_LOGO !== undefined) return again(t("site_settings.wrong"));
    if (!upload && !body.remove) return again(t("operator.picture.none_chosen"));
    const refuse = (said: Translatable, status?: number) => {
      const reason = translateText(said, language);
      return again(t("operator.picture.refused.sentence", { name: upload?.name, reason }), status);
    };
    if (upload && (upload.isTooLarge || upload.bytes.length > LOGO_KIB * 1024))
      return refuse(lazyText("operator.picture.refused.kilobytes", { most: LOGO_KIB }), 413);
    const logo = upload ? spellPicture(upload.bytes) : null;
    try {
      if (upload) await readPicture(upload.bytes, upload.name);
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      return refuse(error.said);
    }
    if (logo !== null && !STORABLE.SITE_LOGO.safeParse(logo).success) return again(t("site_settings.wrong"));
    await confirmOperator(req);
    await saveStored(db, actorOf(req), config.sessionSecret, { SITE_LOGO: logo });
    await settings.follow(db);
    await leaveFlash(req, t("site_settings.saved"));
    res.redirect(303, paths.operatorSite());
  };
}

function zoneOf(req: Request): string {
  return req.viewer?.timeZone ?? "UTC";
}

async function renderForm(
  context: Context,
  req: Request,
  res: Response,
  state: FormState = {},
): Promise<void> {
  const { given, sessionSecret } = context.config;
  const { stored, version } = await readStored(context.db, sessionSecret);
  const shown: StoredSettings = { ...stored, ...given };
  const fields = fieldsOf(shown, zoneOf(req));
  const locale = localeOf(req);
  const { errors = {}, isStale = false, status } = state;
  const head = { title: locale.t("site_settings.title"), noindex: true, styles: ["home/operator"] };
  await renderPage(
    req,
    res,
    "home/site-form/site",
    { ...head, insteadOf: paths.operatorSite(), ...(status && { status }) },
    {
      ...{
        version,
        errors,
        isStale,
        logoKib: LOGO_KIB,
        zones: zoneChoices(req.viewer?.timeZone ?? undefined),
      },
      given: Object.keys(given),
      typed: state.typed ?? fields,
      slots: shownSlots(state.typed ?? fields),
      hasPassword: Boolean(URL.parse(shown.SMTP_URL ?? "")?.password),
      hasLogo: stored.SITE_LOGO !== undefined,
      texts: LANGUAGES.map((tag) => ({ tag, name: languageWord(tag, locale.language) })),
      sections: listSections().map((section) => [section, sectionName(section, locale)]),
    },
  );
}

function sectionName(section: string, { t }: Locale): string {
  if (isCatalogueKind(section)) return t(`kinds.${section}.many`);
  const [nicknames, shop] = [t("layout.sections.nicknames"), t("layout.sections.donate")];
  const [discounts, map] = [t("operator.discounts.title"), t("site_settings.map")];
  return { nicknames, shop, discounts, map }[section] ?? section;
}
