import { type Request, type RequestHandler, type Response, Router } from "express";
import { DownloadError, isFetchable } from "../../web/egress/download.ts";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage, viewerOf } from "../../web/pages/page.ts";
import { confirmOperator, readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { readBody } from "../../web/request/input.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { readNumber } from "../../web/request/params.ts";
import { keepPendingForm } from "../../web/request/pending-form.ts";
import { readUpload } from "../../web/request/upload.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { actorOf } from "../../web/session/actor.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { lazyText, type Translatable, translateText } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { listUsedAttributes } from "../edit/queries.ts";
import { CURRENCY, readSourceName, SOURCE_AT_MOST } from "../import/arguments.ts";
import { explainFailure } from "../import/failure.ts";
import { fieldsOf, type ImportKind, importKinds } from "../import/kinds.ts";
import { fetchFile, fetchProblem, MEGABYTES } from "./fetch-file.ts";
import { openFile } from "./import-file.ts";
import { kindLabel, readHours, scheduleChoices } from "./pages.ts";
import { CHANGES_SHOWN } from "./queries.ts";
import { listSources, USUAL_HOURS } from "./sources.ts";
import { listHeadings, listTargets, withLabels } from "./upload-labels.ts";
import {
  guessTargets,
  isTarget,
  lacks,
  readSample,
  type Sample,
  type UploadSettings,
} from "./upload-mapping.ts";
import { addUpload, findUpload, startUpload, type Upload } from "./uploads.ts";

/** Longer addresses do not fit into a log-in form that brings them back. */
const LONGEST_URL = 1000;
const TYPED = ["url", "kind", "source", "list"];
const REFRESH_S = "2";
const NOTHING: UploadSettings = {
  fields: {},
  list: "",
  currency: "",
  prune: false,
  force: false,
  skipInvalid: false,
  everyHours: USUAL_HOURS,
};

/** Where operators import a file: upload or address, mapping, what would change, and the import itself. */
export function uploadPages({
  slowQueryDb: db,
  config,
}: Pick<BaseContext, "slowQueryDb" | "config">): Router {
  const router = Router({ caseSensitive: true });
  const readFile = readUpload(MEGABYTES * 1024 * 1024);
  const readEither: RequestHandler = (req, res, next) =>
    (req.is("multipart/form-data") ? readFile : readBody)(req, res, next);
  const read = [keepPendingForm(TYPED), requireOperator, readEither, requireOperator];
  router
    .route(paths.operatorNewImport())
    .get(requireOperator, (req, res) => renderNew(db, req, res, req.query))
    .post(read, takeFile(db, { opened: config.privateAddresses }))
    .all(refuseOthers);
  router
    .route(`${paths.operatorImports()}/uploads/:id`)
    .get(requireOperator, showUpload(db))
    .post(readOperatorForm, start(db))
    .all(refuseOthers);
  return router;
}

/** The text of a field of a form or query. */
function textIn(form: object, name: string): string {
  const text: unknown = Object.hasOwn(form, name) ? (form as Record<string, unknown>)[name] : undefined;
  return typeof text === "string" ? text.trim() : "";
}

async function renderNew(
  db: BaseContext["db"],
  req: Request,
  res: Response,
  form: object,
  { status, error, problem }: { status?: number; error?: string; problem?: Translatable } = {},
): Promise<void> {
  const { t, language } = localeOf(req);
  const title = t("imports.new.title");
  const head = { title, noindex: true, styles: ["home/operator"], ...(status && { status }) };
  const sources = await listSources(db);
  await renderPage(req, res, "exchange/imports/new", head, {
    ...{ title, error, megabytes: MEGABYTES, problem: problem && sentenceOf(problem, language) },
    kinds: importKinds().map((kind) => [kind, kindLabel(kind, t)]),
    sources: sources.map((each) => ({ ...each, label: kindLabel(each.kind, t) })),
    typed: Object.fromEntries(TYPED.map((name) => [name, textIn(form, name)])),
    isFetched: textIn(form, "url") !== "",
  });
}

function takeFile(db: BaseContext["db"], egress: EgressPolicy): RequestHandler {
  return async (req, res) => {
    const { t, language, paths } = localeOf(req);
    const { upload, body } = req;
    if (req.isReplay) return renderNew(db, req, res, body);
    const kind = importKinds().find((each) => each === textIn(body, "kind"));
    const typed = textIn(body, "url");
    const again = (error: string, status = 400) => renderNew(db, req, res, body, { status, error });
    if (!(upload || typed) || !kind) return again(t("operator.picture.none_chosen"));
    if (upload?.isTooLarge) return again(t("input.too_large", { megabytes: MEGABYTES }), 413);
    if (!upload && !(isFetchable(typed) && typed.length <= LONGEST_URL))
      return again(t("imports.fetch.address"));
    try {
      const url = upload ? null : new URL(typed).href;
      const file = upload ?? (await fetchFile(typed, { egress }));
      if (!file) return again(t("imports.new.no_records"));
      // Two addresses may end in the same name of a file.
      const name =
        url?.replace(/^https?:\/\/|[?#].*$/g, "").slice(-SOURCE_AT_MOST) ??
        file.name.slice(0, SOURCE_AT_MOST);
      const source = readSourceName(textIn(body, "source") || name);
      if (source === undefined)
        return renderNew(db, req, res, body, {
          status: 400,
          problem: lazyText("refusals.source_name", { max: SOURCE_AT_MOST }),
        });
      const [known] = await listSources(db, { kind, name: source });
      const saved: UploadSettings = known?.settings ?? NOTHING;
      const guess = async (sample: Sample) => {
        const headings = await readHeadings(db, kind, sample, req.site.vocabulary);
        return guessTargets(kind, sample, headings, saved.fields);
      };
      const { sample, advice, ...read } = await readFields(
        file.bytes,
        textIn(body, "list") || saved.list,
        guess,
      );
      if (sample.length === 0)
        return again(translateText(advice() ?? lazyText("imports.new.no_records"), language));
      const settings = { ...saved, ...read };
      const validators = "validators" in file ? file.validators : null;
      const found = { kind, source, file: file.name, content: file.bytes, sample, settings, url, validators };
      await confirmOperator(req);
      const id = await addUpload(db, { ...found, user_id: viewerOf(req).id });
      res.redirect(303, paths.operatorImportUpload(id));
    } catch (error) {
      if (error instanceof DownloadError) return again(fetchProblem(error.reason, t));
      const problem = explainFailure(error);
      if (problem === undefined) throw error;
      await renderNew(db, req, res, body, { status: 400, problem });
    }
  };
}

type ReadFields = Pick<UploadSettings, "list" | "fields"> & {
  readonly sample: Sample;
  advice(): Translatable | undefined;
};

/**
 * The fields of a file and what they become. In a file that is one object without a name, the only list of objects holds
 * the records.
 */
async function readFields(
  content: Buffer,
  list: string,
  guess: (sample: Sample) => Promise<UploadSettings["fields"]>,
): Promise<ReadFields> {
  const { records, lists, advice } = await openFile(content, list);
  const sample = await readSample(records);
  const fields = await guess(sample);
  const [inside = "", ...others] = lists();
  const isTaken =
    list === "" && inside !== "" && others.length === 0 && !Object.values(fields).includes("name");
  return isTaken ? readFields(content, inside, guess) : { list, sample, fields, advice };
}

/** What the columns of a file may be called, with the attributes that records of the kind have. */
async function readHeadings(db: BaseContext["db"], kind: ImportKind, sample: Sample, vocabulary: Vocabulary) {
  const used = kind === "discounts" || kind === "relations" ? [] : await listUsedAttributes(db, kind);
  return listHeadings(kind, sample, { keys: used.map(({ key }) => key), vocabulary });
}

/** A refusal, which the shell shows within a line, as a sentence of its own. */
function sentenceOf(refusal: Translatable, language: Language): string {
  const text = translateText(refusal, language);
  const end = /[.?!]$/.test(text) ? "" : ".";
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1) + end;
}

async function uploadOf(db: BaseContext["db"], req: Request): Promise<Upload> {
  const upload = await findUpload(db, readNumber(req.params.id));
  if (!upload || !importKinds().includes(upload.kind)) throw notFound("page");
  return upload;
}

function showUpload(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => renderUpload(req, res, await uploadOf(db, req));
}

/** @param missing what the form lacks */
async function renderUpload(
  req: Request,
  res: Response,
  upload: Upload,
  missing?: { problem?: string | undefined; currency?: string | undefined },
): Promise<void> {
  const locale = localeOf(req);
  const { t, format, language } = locale;
  const { kind, settings, state, result } = upload;
  const isRunning = state === "checking" || state === "applying";
  // Works without script, and where a reload loses a connection.
  if (isRunning) res.set("Refresh", REFRESH_S);
  const title = t("imports.upload.title", { file: upload.file });
  await renderPage(
    req,
    res,
    "exchange/imports/upload",
    { title, noindex: true, styles: ["home/operator"], ...(missing && { status: 400 }) },
    {
      ...{ title, upload, isRunning },
      problem: missing?.problem ?? (result?.problem && sentenceOf(result.problem, language)),
      lines: (result?.lines ?? []).map((line) => translateText(withLabels(line, language), language)),
      kindName: kindLabel(kind, t),
      hasPrice: fieldsOf(kind).includes("currency"),
      currencyError: missing?.currency,
      schedules: scheduleChoices(locale),
      fields: upload.sample.map(({ field, values }, at) => ({
        ...{ field, values, name: `field.${at}`, target: settings.fields[field] ?? "" },
        targets: listTargets(kind, field, settings.fields[field] ?? "", language),
      })),
      first: t("imports.first", { figure: format.number(CHANGES_SHOWN) }),
      // Added records have no pages yet.
      url: () => undefined,
    },
  );
}

function start(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => {
    const upload = await uploadOf(db, req);
    const { id, kind, sample, settings, url, state } = upload;
    const body: object = req.body ?? {};
    const isApply = textIn(body, "action") === "apply";
    const targets = sample.map(({ field }, at) => [field, textIn(body, `field.${at}`)] as const);
    const currency = textIn(body, "currency");
    const given = {
      fields: Object.fromEntries(
        targets.map(([field, target]) => [field, isTarget(kind, target) ? target : ""]),
      ),
      list: settings.list,
      currency: CURRENCY.test(currency) ? currency.toUpperCase() : "",
      prune: textIn(body, "prune") !== "",
      force: textIn(body, "force") !== "",
      skipInvalid: textIn(body, "skip_invalid") !== "",
      everyHours: url === null ? (settings.everyHours ?? 0) : readHours(textIn(body, "hours")),
    };
    const missing = isApply ? undefined : findMissing(kind, given, currency, localeOf(req));
    if (missing && state !== "checking" && state !== "applying" && state !== "applied")
      return renderUpload(req, res, { ...upload, settings: given, state: "new", result: null }, missing);
    await startUpload(db, id, isApply ? undefined : given, actorOf(req));
    res.redirect(303, localeOf(req).paths.operatorImportUpload(id));
  };
}

/** What every record of the file would lack; undefined: nothing. */
function findMissing(kind: ImportKind, { fields, currency }: UploadSettings, typed: string, { t }: Locale) {
  if (lacks(kind, "name", fields))
    return { problem: t("imports.upload.no_name", { name: t("imports.fields.name") }) };
  const isWrong = currency === "" && (typed !== "" || lacks(kind, "currency", fields));
  return isWrong ? { currency: t("imports.upload.no_currency") } : undefined;
}
