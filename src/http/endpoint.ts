import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from "express";
import type { z } from "zod";
import type { Db } from "../db/connect.ts";
import { isLanguage, type Language } from "../i18n/languages.ts";
import type { Sayable } from "../i18n/said.ts";
import { isOwnerScope, isScope } from "../scopes.ts";
import { localPaths, paths, withQuery } from "../urls.ts";
import { type Source, snapshotFor } from "./answer-build.ts";
import { type Access, accessError } from "./auth.ts";
import { namesInPath, routeOf } from "./endpoint-paths.ts";
import { detailIn, methodNotAllowed, PROBLEMS, toHttpError } from "./errors.ts";
import { isHtmlForm, parseInput, readBody, refererPath } from "./input.ts";
import { localeOf, prefixOf } from "./locale.ts";
import { logFailure } from "./log.ts";
import type { OperationId, OperationKind } from "./operation-names.ts";
import type { Site } from "./page.ts";
import { sendBody } from "./send.ts";
import { leaveFlash, type UndoForm } from "./session.ts";

/** What a handler gets with its validated input; features add to it (`search`). */
export interface EndpointContext {
  db: Db;
  baseUrl: string;
  /** The user of the session or key; always set where access is `login` or a scope. */
  userId: number | undefined;
  /** The client's. */
  address: string;
  /** What the site knows of itself; only where `readsSite` is set. */
  site: Site | undefined;
  /** The address as it was asked for, from its path on. */
  url: string;
  /** The query string as it was sent, for parameters that the data names (`a.price`). */
  query: Record<string, unknown>;
  /** The state of the database that the answer is made from; `db` is it already, unless `opensSnapshot` is set. */
  snapshot(): Promise<Db>;
}

/** What the message about a write also needs. */
export interface FlashContext extends EndpointContext {
  /** The language of the page that shows it; `own` is the language of the user's account, if set. */
  languageFor(own: string | null | undefined): Language;
}

type SharedContext = Omit<EndpointContext, "userId" | "address" | "site" | "url" | "query" | "snapshot">;

/** One JSON endpoint, read by validation, documentation (openapi.ts) and tests. */
export interface Endpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  method: "GET" | "POST";
  /** Parameters of the input that stand in it, such as `{id}`, are read from there. */
  path: `/api/${string}`;
  operationId: OperationId;
  /** Which of the kinds that have the operation this one is for. */
  ofKind?: OperationKind;
  access: Access;
  input: Input;
  output: Output;
  handle(input: z.output<Input>, context: EndpointContext): Promise<z.input<Output>>;
  /** Sends what `handle` found as a file instead of as JSON; such answers are not remembered. */
  file?: AnswerFile<z.input<Output>>;
  /** How many calls it counts as in the limits, where that is more than one (src/limits). */
  cost?: number;
  /** That it will be gone: told in the document and by headers of every answer. */
  deprecated?: Deprecation;
  /** A parameter names a record that may not exist: 404. Writes always do. */
  namesRecord?: true;
  /** What is asked for may be gone, such as a record that was removed: 410. */
  knowsRemoved?: true;
  /** The handler needs `site`. */
  readsSite?: true;
  /** The handler calls `snapshot` itself, once it has what it must wait for without holding a connection. */
  opensSnapshot?: true;
  /** It also takes filters by attributes, which the data names: `a.price`, `min.price`, `max.price`. */
  hasFilters?: true;
  /** Its answer as CSV, for `Accept: text/csv`; `only`: always. */
  csv?: { text(output: z.input<Output>, input: z.output<Input>): string; only?: true };
  /** Headers of its answer. */
  headers?(output: z.input<Output>): Record<string, string>;
  /** What its answers are made from (see `AnswerBuild`); left out: they are never remembered. */
  changesWith?: readonly Source[];
  /** See `MadeAnswer`. */
  showsTime?: true;
  /** What an answer is made from besides, where that depends on what it holds. */
  alsoOf?(
    output: z.input<Output>,
    input: z.output<Input>,
  ): { changesWith: readonly Source[]; showsTime: boolean };
  /** True for an answer that must not be cached, such as a random one. */
  uncacheable?(input: z.output<Input>, output: z.input<Output>): boolean;
  /** Where to redirect a plain HTML form whose page is unknown. */
  page?(input: z.output<Input>): string;
  /** Parameters of the log-in page for a plain HTML form whose session has ended. */
  afterLogIn?(input: z.output<Input>): Record<string, string | undefined>;
  /** The message on that page after a write. */
  flash?(input: z.output<Input>, output: z.input<Output>, context: FlashContext): Promise<FlashWithUndo>;
}

/** An answer that streams, and of which parts may be asked for. */
interface AnswerFile<Found> {
  /** Its media type. */
  readonly type: string;
  send(found: Found, exchange: { req: Request; res: Response }, context: EndpointContext): Promise<void>;
}

/** The announcement that an endpoint will be gone (RFC 9745, RFC 8594). */
export interface Deprecation {
  since: Date;
  /** At least six months later, see the policy on /docs/api. */
  sunset: Date;
}

/** A message for the next page, and a form that undoes what was done. */
interface FlashWithUndo {
  flash: Sayable;
  undo: UndoForm;
}

/** Ties the type of `handle` to its schemas, and keeps a list of endpoints simple. */
export function endpoint<Input extends z.ZodObject, Output extends z.ZodType>(
  declaration: Endpoint<Input, Output>,
): Endpoint {
  return declaration as unknown as Endpoint;
}

/**
 * Routes for endpoints. Checks run in this order: access (401), method (405), body (415, 413), input (400). A refused
 * plain HTML form leads back to its page, with a message.
 */
export function endpointRouter(
  endpoints: Endpoint[],
  shared: SharedContext,
  siteData: RequestHandler,
): Router {
  const router = Router({ caseSensitive: true });
  for (const declared of endpoints) {
    const route = router.route(routeOf(declared.path).slice("/api".length));
    const methods = declared.method === "GET" ? ["GET", "HEAD", "OPTIONS"] : ["POST", "OPTIONS"];
    if (declared.deprecated) route.all(announce(declared.deprecated, shared.baseUrl));
    route.options((_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
    route.all(checkAccess(declared, shared));
    if (declared.method === "GET") {
      if (declared.readsSite) route.get(siteData);
      route.get(answerRead(declared, shared));
    } else {
      const check = checkAccess(declared, shared);
      route.post(readBody, check, answerWrite(declared, shared), refuseForm(declared, shared));
    }
    route.all((_req, _res, next) => next(methodNotAllowed(methods)));
  }
  return router;
}

/** Sets headers, so that also a program's author who reads no page learns of it. */
function announce({ since, sunset }: Deprecation, baseUrl: string): RequestHandler {
  return (_req, res, next) => {
    res.set("Deprecation", `@${Math.floor(since.getTime() / 1000)}`);
    res.set("Sunset", sunset.toUTCString());
    res.set("Link", `<${baseUrl}${paths.apiDocs()}#versions>; rel="deprecation"`);
    next();
  };
}

function checkAccess(declared: Endpoint, shared: { baseUrl: string }): RequestHandler {
  return (req, res, next) => {
    const error = accessError(declared.access, req.caller);
    if (!error) return next();
    const isWrite = declared.method === "POST" && req.method === "POST";
    if (!isWrite || !isHtmlForm(req)) return next(error);
    readBody(req, res, () => sendToLogIn(declared, req, res, shared));
  };
}

/** Sends a form whose session has ended to the log-in page and back. */
function sendToLogIn(declared: Endpoint, req: Request, res: Response, shared: { baseUrl: string }): void {
  const from = refererPath(req, shared.baseUrl);
  const login = localPaths(prefixOf(from ?? "")).login();
  const parameters = { next: from, ended: "yes", ...afterLogInOf(declared, req) };
  res.set("Cache-Control", "no-store").redirect(303, withQuery(login, parameters));
}

/** `afterLogIn` of a form; nothing where its input is wrong. */
function afterLogInOf(declared: Endpoint, req: Request): Record<string, string | undefined> {
  try {
    return declared.afterLogIn?.(parseInput(declared.input, req)) ?? {};
  } catch {
    return {};
  }
}

function answerRead(declared: Endpoint, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseInput(declared.input, req, namesInPath(declared.path));
    const snapshot = () => snapshotFor(req, shared.db);
    const db = readsDatabase(declared) ? await snapshot() : shared.db;
    const context = { ...shared, ...contextOf(req), db, userId: userOf(req), snapshot };
    const output = await declared.handle(input, context);
    if (declared.file) {
      for (const header of credentialsOf(declared)) res.vary(header);
      return declared.file.send(output, { req, res }, context);
    }
    res.set(declared.headers?.(output) ?? {});
    const isKeyed = req.caller.key !== undefined;
    const reusable = declared.access === "none" ? "public, no-cache" : "private, no-cache";
    const cacheControl = declared.uncacheable?.(input, output) ? "no-store" : reusable;
    const form = formOf(declared, req);
    const also = declared.alsoOf?.(output, input);
    const sources = declared.changesWith && [...declared.changesWith, ...(also?.changesWith ?? [])];
    const changesWith = cacheControl === "no-store" ? undefined : sources;
    const showsTime = declared.showsTime === true || also?.showsTime === true;
    await sendBody(req, res, {
      type: form,
      body: form === CSV ? (declared.csv?.text(output, input) ?? "") : JSON.stringify(output),
      cacheControl,
      isKeyed,
      vary: [...credentialsOf(declared), ...(declared.csv && !declared.csv.only ? ["Accept"] : [])],
      changesWith,
      showsTime,
    });
  };
}

const JSON_FORM = "application/json";
export const CSV = "text/csv";

/** The media type that a read is answered in. */
function formOf({ csv }: Endpoint, req: Request): string {
  if (csv === undefined) return JSON_FORM;
  return csv.only || req.accepts([JSON_FORM, CSV]) === CSV ? CSV : JSON_FORM;
}

function contextOf({ address, site, originalUrl: url, query }: Request) {
  return { address, site, url, query };
}

function readsDatabase({ changesWith = [], opensSnapshot }: Endpoint): boolean {
  return !opensSnapshot && changesWith.some((source) => source !== "search");
}

/** The headers that an answer varies by. Even open endpoints refuse a wrong key. */
function credentialsOf({ access }: Endpoint): string[] {
  if (access === "login") return ["Cookie"];
  return access === "session-or-key" || isOwnerScope(access) ? ["X-API-Key", "Cookie"] : ["X-API-Key"];
}

function answerWrite(declared: Endpoint, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseInput(declared.input, req);
    const snapshot = async () => shared.db;
    const userId = isScope(declared.access) ? userOf(req) : req.caller.sessionUserId;
    const context = { ...shared, ...contextOf(req), userId, snapshot };
    const output = await declared.handle(input, context);
    res.set("Cache-Control", "no-store");
    if (!isHtmlForm(req)) return res.json(output);
    const from = refererPath(req, shared.baseUrl);
    if (declared.flash && req.session) {
      const languageFor = (own: string | null | undefined) => languageOfPage(req, from, own);
      const { flash, undo } = await declared.flash(input, output, { ...context, languageFor });
      await leaveFlash(req, flash, { undo });
    }
    res.redirect(303, from ?? declared.page?.(input) ?? paths.home());
  };
}

/** The language of the page that a request came from. */
function languageOfPage(req: Request, page = "", own: string | null | undefined = undefined): Language {
  return [prefixOf(page).slice(1), own ?? ""].find(isLanguage) ?? localeOf(req).language;
}

/** Sends a refused form back to its page with a message; leaves what cannot show one to the next handler. */
function refuseForm(declared: Endpoint, shared: { baseUrl: string }): ErrorRequestHandler {
  return async (thrown, req, res, next) => {
    if (!isHtmlForm(req) || !req.session || res.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    if (error.problem === PROBLEMS.unauthorized) return sendToLogIn(declared, req, res, shared);
    const from = refererPath(req, shared.baseUrl);
    const flash = error.said ?? detailIn(languageOfPage(req, from), error);
    if (!(await leaveFlash(req, flash, { tone: "danger" }))) return next(thrown);
    logFailure(req, error);
    res.set("Cache-Control", "no-store").redirect(303, from ?? paths.home());
  };
}

/** A key takes precedence over a session. */
function userOf(req: Request): number | undefined {
  return req.caller.key?.userId ?? req.caller.sessionUserId;
}
