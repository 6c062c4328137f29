import type * as busboy from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";
import { type Request, type RequestHandler, type Response, Router } from "express";
import pLimit from "p-limit";
import type { Db } from "../../../db/connect.ts";
import { lazyPackage } from "../../../settings/lazy-package.ts";
import type { BaseContext } from "../../../web/pages/context.ts";
import { badInput, HttpError, notFound } from "../../../web/pages/errors.ts";
import { renderPage } from "../../../web/pages/page.ts";
import { confirmOperator, readOperatorForm, requireOperator } from "../../../web/request/form.ts";
import { recheckAfter } from "../../../web/request/input.ts";
import { type Locale, localeOf } from "../../../web/request/locale.ts";
import { id as idSchema } from "../../../web/request/params.ts";
import type { Upload } from "../../../web/request/request.ts";
import { Slots, whenClosed } from "../../../web/server/admission.ts";
import { only } from "../../../web/server/methods.ts";
import { logSecurity } from "../../../web/server/security-log.ts";
import { actorOf } from "../../../web/session/actor.ts";
import { leaveFlash } from "../../../web/session/session.ts";
import { lazyText, translateText } from "../../../words/i18n/lazy-text.ts";
import type { ThumbKind } from "../../../words/kinds/glyphs.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import { paths } from "../../../words/urls.ts";
import { choosePicture } from "../../picture.ts";
import { shownName } from "../../shown-name.ts";
import { keep } from "../collect.ts";
import { checkBytes, isAnimated, MOST_BYTES, PictureError, readPicture } from "../read-picture.ts";
import type { PictureStore } from "../store.ts";
import { changePicture, findPictured, type PicturedRecord } from "./queries.ts";

const loadBusboy = lazyPackage<typeof busboy>("@fastify/busboy");

const MULTIPART = "multipart/form-data";
/**
 * Reads and discards bytes beyond the limit, up to this many, because a browser shows no response before it has sent
 * everything.
 */
const DROPPED_AT_MOST = 4 * MOST_BYTES;
const LIMITS = { files: 1, fields: 4, parts: 5, fieldSize: 1_000, fieldNameSize: 100, headerPairs: 20 };
const READ_MS = 120_000;
const LONGEST_NAME = 120;

/** Limits concurrent uploads in each process, because their bodies are in memory. */
const FEW = { running: 2, waiting: 6, waitMs: 20_000, pauseMs: 0 };

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
    .post(requireOperator, readUpload(), requireOperator, takePicture(db, pictures))
    .all(only("GET", "HEAD", "POST"));
  router.route(`${path}/remove`).post(readOperatorForm, removePicture(db)).all(only("POST"));
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
  res.set("Cache-Control", "no-store").redirect(303, paths.operatorPicture(kind, id));
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
  const shown = shownName(record, language);
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

/**
 * Reads a multipart form with one file into `req.upload`, in memory, a few at once (see `recheckAfter`).
 * @throws HttpError 415 for any other body, 413 for one that is too large, 400 for a malformed one, 503 under load
 */
function readUpload({ readMs = READ_MS }: { readMs?: number } = {}): RequestHandler {
  const slots = new Slots(FEW);
  return recheckAfter(async (req, res, next) => {
    if (!req.is(MULTIPART))
      throw new HttpError(
        "unsupportedMediaType",
        lazyText("operator.picture.multipart", { type: MULTIPART }),
      );
    if (Number(req.headers["content-length"]) > DROPPED_AT_MOST) throw tooLarge();
    const release = await slots.take(whenClosed(res));
    if (!release) return;
    // The file is in memory until the response is sent.
    if (res.closed) release();
    else res.once("close", release);
    try {
      req.upload = await parse(req, readMs);
    } catch (error) {
      // The rest of the body is useless, and would be parsed as the next request.
      if (!req.complete) res.set("Connection", "close");
      throw error;
    }
    next();
  });
}

function parse(req: Request, readMs: number): Promise<Upload | undefined> {
  return new Promise((resolve, reject) => {
    const parser = openParser(req);
    let upload: Upload | undefined;
    let read = 0;
    const settle = (end: () => void) => {
      clearTimeout(timer);
      req.unpipe(parser);
      req.off("data", count).off("aborted", cut).off("error", cut);
      req.resume();
      end();
    };
    const fail = (error: HttpError) => settle(() => reject(error));
    const cut = () => fail(cutShort());
    const count = (chunk: Buffer) => {
      read += chunk.length;
      if (read > DROPPED_AT_MOST) fail(tooLarge());
    };
    const timer = setTimeout(
      () => fail(badInput([{ param: "body", message: lazyText("input.too_slow") }])),
      readMs,
    );
    parser.on("file", (_field, stream, fileName) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", cut);
      stream.on("end", () => {
        // A browser sends a nameless, empty file if none was chosen.
        if (!fileName) return;
        const isTooLarge = stream.truncated;
        upload = {
          name: plainName(fileName),
          bytes: isTooLarge ? NOTHING : Buffer.concat(chunks),
          isTooLarge,
        };
      });
    });
    for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const)
      parser.on(limit, () => fail(badInput([{ param: "body", message: lazyText("input.many_parts") }])));
    parser.on("error", cut);
    parser.on("finish", () => settle(() => resolve(upload)));
    req.on("data", count).on("aborted", cut).on("error", cut);
    req.pipe(parser);
  });
}

const NOTHING = Buffer.alloc(0);

function openParser(req: Request): BusboyInstance {
  try {
    const headers = { ...req.headers, "content-type": req.headers["content-type"] ?? "" };
    const { Busboy } = loadBusboy();
    return new Busboy({ headers, limits: { ...LIMITS, fileSize: MOST_BYTES + 1 } });
  } catch {
    throw cutShort();
  }
}

function plainName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const plain = [...last.replace(/[\p{Cc}\p{Cf}]/gu, "")];
  // Keeps the extension, which shows the type of the file.
  return plain.length <= LONGEST_NAME ? plain.join("") : `…${plain.slice(1 - LONGEST_NAME).join("")}`;
}

function tooLarge(): HttpError {
  return new HttpError(
    "payloadTooLarge",
    lazyText("operator.picture.too_much", { megabytes: MOST_BYTES / 1024 / 1024 }),
  );
}

function cutShort(): HttpError {
  return badInput([{ param: "body", message: lazyText("input.cut_short") }]);
}
