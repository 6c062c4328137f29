import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from "express";
import type { z } from "zod";
import type { Db } from "../db/connect.ts";
import { isLanguage, type Language } from "../i18n/languages.ts";
import type { Sayable } from "../i18n/said.ts";
import type { TEXTS } from "../i18n/translate.ts";
import { localPaths, paths, withQuery } from "../urls.ts";
import { type Source, snapshotFor } from "./answer-build.ts";
import { type Access, accessError } from "./auth.ts";
import { detailIn, methodNotAllowed, PROBLEMS, toHttpError } from "./errors.ts";
import { isHtmlForm, parseInput, readBody, refererPath } from "./input.ts";
import { localeOf, prefixOf } from "./locale.ts";
import { logFailure } from "./log.ts";
import { sendBody } from "./send.ts";
import { leaveFlash, type UndoForm } from "./session.ts";

/** What a handler gets with its validated input; features add to it (`search`). */
export interface EndpointContext {
  db: Db;
  baseUrl: string;
  /** The user of the session or key; always set where access is `login`. */
  userId: number | undefined;
  /** The client's. */
  address: string;
}

/** What the message about a write also needs. */
export interface FlashContext extends EndpointContext {
  /** The language of the page that shows it; `own` is the language of the user's account, if set. */
  languageFor(own: string | null | undefined): Language;
}

type SharedContext = Omit<EndpointContext, "userId" | "address">;

/** What the endpoints are called in the OpenAPI document; each has a text, and its parameters have theirs. */
export type OperationId = keyof typeof TEXTS.docs.endpoint;

/** One JSON endpoint, read by validation, documentation (openapi.ts) and tests. */
export interface Endpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  method: "GET" | "POST";
  path: `/api/${string}`;
  operationId: OperationId;
  access: Access;
  input: Input;
  output: Output;
  handle(input: z.output<Input>, context: EndpointContext): Promise<z.input<Output>>;
  /** A parameter names a record that may not exist: 404. Writes always do. */
  namesRecord?: true;
  /** What its answers are made from (see `AnswerBuild`); left out: they are never remembered. */
  changesWith?: readonly Source[];
  /** See `MadeAnswer`. */
  showsTime?: true;
  /** What an answer is made from besides, where that depends on what it holds. */
  alsoOf?(output: z.input<Output>): { changesWith: readonly Source[]; showsTime: boolean };
  /** True for an answer that must not be cached, such as a random one. */
  uncacheable?(input: z.output<Input>, output: z.input<Output>): boolean;
  /** Where to redirect a plain HTML form whose page is unknown. */
  page?(input: z.output<Input>): string;
  /** Parameters of the log-in page for a plain HTML form whose session has ended. */
  afterLogIn?(input: z.output<Input>): Record<string, string | undefined>;
  /** The message on that page after a write. */
  flash?(input: z.output<Input>, output: z.input<Output>, context: FlashContext): Promise<FlashWithUndo>;
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
export function endpointRouter(endpoints: Endpoint[], shared: SharedContext): Router {
  const router = Router({ caseSensitive: true });
  for (const declared of endpoints) {
    const route = router.route(declared.path.slice("/api".length));
    const methods = declared.method === "GET" ? ["GET", "HEAD", "OPTIONS"] : ["POST", "OPTIONS"];
    route.options((_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
    route.all(checkAccess(declared, shared));
    if (declared.method === "GET") route.get(answerRead(declared, shared));
    else {
      const check = checkAccess(declared, shared);
      route.post(readBody, check, answerWrite(declared, shared), refuseForm(declared, shared));
    }
    route.all((_req, _res, next) => next(methodNotAllowed(methods)));
  }
  return router;
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
    const input = parseInput(declared.input, req);
    const db = readsDatabase(declared) ? await snapshotFor(req, shared.db) : shared.db;
    const output = await declared.handle(input, { ...shared, db, userId: userOf(req), address: req.address });
    const isKeyed = req.caller.keyUserId !== undefined;
    const reusable = declared.access === "none" ? "public, no-cache" : "private, no-cache";
    const cacheControl = declared.uncacheable?.(input, output) ? "no-store" : reusable;
    const [body, vary] = [JSON.stringify(output), CREDENTIALS[declared.access]];
    const also = declared.alsoOf?.(output);
    const sources = declared.changesWith && [...declared.changesWith, ...(also?.changesWith ?? [])];
    const changesWith = cacheControl === "no-store" ? undefined : sources;
    const showsTime = declared.showsTime === true || also?.showsTime === true;
    await sendBody(req, res, {
      type: "application/json",
      body,
      cacheControl,
      isKeyed,
      vary,
      changesWith,
      showsTime,
    });
  };
}

function readsDatabase({ changesWith = [] }: Endpoint): boolean {
  return changesWith.some((source) => source !== "search");
}

/** The headers that an answer varies by. Even open endpoints refuse a wrong key. */
const CREDENTIALS: Record<Access, string[]> = {
  none: ["X-API-Key"],
  "session-or-key": ["X-API-Key", "Cookie"],
  login: ["Cookie"],
};

function answerWrite(declared: Endpoint, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseInput(declared.input, req);
    const context = { ...shared, userId: req.caller.sessionUserId, address: req.address };
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
  return req.caller.keyUserId ?? req.caller.sessionUserId;
}
