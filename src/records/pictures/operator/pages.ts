import { type Request, type RequestHandler, type Response, Router } from "express";
import pLimit from "p-limit";
import type { Db } from "../../../db/connect.ts";
import type { BaseContext } from "../../../web/pages/context.ts";
import { notFound } from "../../../web/pages/errors.ts";
import { renderPage } from "../../../web/pages/page.ts";
import { confirmOperator, readOperatorForm, requireOperator } from "../../../web/request/form.ts";
import { type Locale, localeOf } from "../../../web/request/locale.ts";
import { id as idSchema } from "../../../web/request/params.ts";
import type { Upload } from "../../../web/request/request.ts";
import { readUpload } from "../../../web/request/upload.ts";
import { refuseOthers } from "../../../web/server/methods.ts";
import { logSecurity } from "../../../web/server/security-log.ts";
import { actorOf } from "../../../web/session/actor.ts";
import { leaveFlash } from "../../../web/session/session.ts";
import { lazyText, translateText } from "../../../words/i18n/lazy-text.ts";
import { localName } from "../../../words/i18n/local-name.ts";
import type { ThumbKind } from "../../../words/kinds/glyphs.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import { paths } from "../../../words/urls.ts";
import { choosePicture } from "../../picture.ts";
import { keep } from "../collect.ts";
import { checkBytes, isAnimated, MOST_BYTES, PictureError, readPicture } from "../read-picture.ts";
import type { PictureStore } from "../store.ts";
import { changePicture, findPictured, type PicturedRecord } from "./queries.ts";

/** A type rather than an interface, because Express's own parameters take any name. */
type Params = { kind: string; id: string };

/** The record in a path. */
interface NamedRecord {
  readonly kind: ThumbKind;
  readonly record: PicturedRecord;
}

/** The errors of the form. */
interface FormState {
  readonly status?: number;
  readonly error?: string;
  readonly notice?: string;
}

/** The page where operators change the picture of a record. */
export function operatorPicturePages({ db, pictures }: BaseContext & { pictures: PictureStore }): Router {
  const router = Router({ caseSensitive: true });
  const path = "/operator/pictures/:kind/:id" as const;
  router
    .route(path)
    .get(requireOperator, showPicture(db))
    .post(requireOperator, readUpload(MOST_BYTES), requireOperator, takePicture(db, pictures))
    .all(refuseOthers);
  router.route(`${path}/remove`).post(readOperatorForm, removePicture(db)).all(refuseOthers);
  return router;
}

function showPicture(db: Db): RequestHandler<Params> {
  return async (req, res) => renderForm(req, res, await findPlace(db, req.params));
}

function takePicture(db: BaseContext["db"], store: PictureStore): RequestHandler<Params> {
  // Drawing one takes a core and up to 160 MB.
  const limit = pLimit(1);
  return async (req, res) => {
    const place = await findPlace(db, req.params);
    const { t } = localeOf(req);
    const { upload } = req;
    if (!upload)
      return renderForm(req, res, place, { status: 400, error: t("operator.picture.none_chosen") });
    try {
      const picture = await limit(() => readIntoStore(upload, store));
      await confirmOperator(req);
      await change(db, req, res, place, picture);
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      const reason = translateText(error.said, localeOf(req).language);
      const status = upload.isTooLarge ? 413 : 400;
      const name = upload.name;
      await renderForm(req, res, place, {
        status,
        error: t("operator.picture.refused.sentence", { name, reason }),
      });
    }
  };
}

/** @throws PictureError if the file cannot be the picture of a record */
async function readIntoStore(upload: Upload, store: PictureStore): Promise<string> {
  const { bytes, name, isTooLarge } = upload;
  checkBytes(isTooLarge ? MOST_BYTES + 1 : bytes.length);
  if (await isAnimated(bytes)) throw new PictureError(lazyText("operator.picture.refused.animated"));
  // The store does not check a file that it already has.
  await readPicture(bytes, name);
  return keep(bytes, name, store);
}

function removePicture(db: BaseContext["db"]): RequestHandler<Params> {
  return async (req, res) => {
    const place = await findPlace(db, req.params);
    // Another user may have changed the picture meanwhile, and must not lose it.
    if (req.body?.seen === place.record.picture) return change(db, req, res, place, null);
    const notice = localeOf(req).t("operator.picture.changed_meanwhile");
    await renderForm(req, res, place, { status: 409, notice });
  };
}

async function change(
  db: BaseContext["db"],
  req: Request<Params>,
  res: Response,
  { kind, record: { id } }: NamedRecord,
  picture: string | null,
): Promise<void> {
  const { t, paths } = localeOf(req);
  const outcome = await changePicture(db, { kind, id, picture, by: actorOf(req) });
  if (outcome === "missing") throw notFound(kind === "shop" ? "shop_item" : "entry");
  const isRemoved = picture === null;
  if (outcome === "changed")
    logSecurity(req, "picture.changed", {
      record: `${kind}/${id}`,
      change: isRemoved ? "removed" : "uploaded",
    });
  const texts = { changed: t("operator.picture.saved"), unchanged: t("operator.picture.unchanged") };
  await leaveFlash(req, isRemoved ? t("operator.picture.removed") : texts[outcome]);
  res.redirect(303, paths.operatorPicture(kind, id));
}

/** @throws HttpError 404 if there is no such record */
async function findPlace(db: Db, { kind, id }: Params): Promise<NamedRecord> {
  const isKind = kind === "shop" || isCatalogueKind(kind);
  const record = isKind && idSchema().safeParse(id).success ? await findPictured(db, kind, id) : undefined;
  if (!isKind || !record) throw notFound(kind === "shop" ? "shop_item" : "entry");
  return { kind, record };
}

async function renderForm(
  req: Request<Params>,
  res: Response,
  { kind, record }: NamedRecord,
  { status, error, notice }: FormState = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const shown = localName(record, language);
  const head = {
    title: t("operator.picture.title", { name: shown.name }),
    noindex: true,
    styles: ["catalogue/entry"],
  };
  const insteadOf = paths.operatorPicture(kind, record.id);
  await renderPage(
    req,
    res,
    "records/pictures/form",
    { ...head, insteadOf, ...(status && { status }) },
    {
      kind,
      record,
      shown,
      recordUrl: recordUrl(kind, record.id, locale),
      picture: choosePicture(record, req.site.imageHosts),
      error,
      notice,
      megabytes: MOST_BYTES / 1024 / 1024,
    },
  );
}

function recordUrl(kind: ThumbKind, id: string, { paths }: Locale): string {
  return kind === "shop" ? paths.donateItem(id) : paths.entry(kind, id);
}
