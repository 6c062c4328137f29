import {
  type ErrorRequestHandler,
  type IRoute,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import { isLanguage, type Language } from "../../words/i18n/languages.ts";
import { isOwnerScope, isScope } from "../../words/scopes.ts";
import { localPaths, paths, withQuery } from "../../words/urls.ts";
import { snapshotFor } from "../answers/answer-scope.ts";
import { sendBody } from "../answers/send.ts";
import { detailIn, methodNotAllowed, PROBLEMS, toHttpError } from "../pages/errors.ts";
import {
  isHtmlForm,
  parseInput,
  parseParameters,
  readBody,
  readBytes,
  refererPath,
} from "../request/input.ts";
import { localeOf, prefixOf } from "../request/locale.ts";
import { logFailure } from "../server/log.ts";
import { type Access, accessError, identifySession } from "../session/auth.ts";
import { leaveFlash, type Sessions } from "../session/session.ts";
import {
  type Caching,
  CSV,
  type Endpoint,
  type FormEndpoint,
  type Method,
  namesInPath,
  type OwnEndpoint,
  type ReadEndpoint,
  representationFor,
  routeOf,
  type SharedContext,
  type WriteContext,
} from "./endpoint.ts";

interface RouterContext extends SharedContext {
  readonly sessions: Sessions;
}

/**
 * Routes for endpoints. The session is looked up first, unless the path is open to all. Checks run in this order:
 * access (401), method (405), body (415, 413), access again, input (400). A write checks access again at the end of its
 * transaction (see `WriteContext.write`). A refused plain HTML form leads back to its page, with a message.
 */
export function endpointRouter(endpoints: Endpoint[], shared: RouterContext): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, ofPath] of Map.groupBy(endpoints, (declared) => declared.path)) {
    const route = router.route(routeOf(path).slice("/api".length));
    const methods = methodsOf(ofPath);
    route.options((_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
    if (ofPath.some(({ access }) => access !== "none")) route.all(identifySession(shared.sessions));
    for (const declared of ofPath) addMethod(route, declared, shared);
    // The path is hidden from a caller without access to any of its methods.
    const [first] = ofPath;
    if (first) route.all(checkAccess(first, shared));
    route.all((_req, _res, next) => next(methodNotAllowed(methods)));
  }
  return router;
}

function methodsOf(endpoints: readonly Pick<Endpoint, "method">[]): string[] {
  const methods = endpoints.map(({ method }) => method);
  return [
    ...(methods.includes("GET") ? ["GET", "HEAD"] : []),
    ...methods.filter((each) => each !== "GET"),
    "OPTIONS",
  ];
}

function addMethod(route: IRoute, declared: Endpoint, shared: RouterContext): void {
  const check = checkAccess(declared, shared);
  if (declared.type === "read") route.get(check, answerRead(declared, shared));
  else if (declared.type === "form")
    route.post(check, readBody, check, answerForm(declared, shared), refuseForm(declared, shared));
  else {
    const method = declared.method.toLowerCase() as Lowercase<Method>;
    const read = declared.body ? [readBytes(declared.body), check] : [];
    route[method](check, ...read, answerOwn(declared, shared));
  }
}

function answerOwn(declared: OwnEndpoint, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseParameters(declared.input, req, namesInPath(declared.path));
    const write = writeFor(declared, req, shared);
    await declared.send(input, { req, res }, { ...shared, userId: userOf(req), write });
  };
}

function checkAccess(declared: Endpoint, shared: RouterContext): RequestHandler {
  return (req, res, next) => {
    const error = accessError(declared.access, req.caller);
    if (!error) return next();
    const { type } = declared;
    if (type !== "form" || req.method !== "POST" || !isHtmlForm(req)) return next(error);
    readBody(req, res, () => sendToLogIn(declared, req, res, shared));
  };
}

/** Sends a form without a session to the log-in page, and back to its page or that of its thing. */
function sendToLogIn(declared: FormEndpoint, req: Request, res: Response, shared: RouterContext): void {
  const { page, ...after } = logInOf(declared, req);
  const next = refererPath(req, shared.baseUrl) ?? page;
  const login = localPaths(prefixOf(next ?? "")).login();
  const ended = shared.sessions.isStored(req) ? "yes" : undefined;
  res.set("Cache-Control", "no-store").redirect(303, withQuery(login, { next, ended, ...after }));
}

/** The page and `afterLogIn` of a form; nothing if its input is wrong. */
function logInOf(declared: FormEndpoint, req: Request): Record<string, string | undefined> {
  try {
    const input = parseInput(declared.input, req);
    return { page: declared.page(input), ...declared.afterLogIn(input) };
  } catch {
    return {};
  }
}

function answerRead(declared: ReadEndpoint, shared: SharedContext): RequestHandler {
  const inPath = namesInPath(declared.path);
  const { access, cache, csv } = declared;
  const vary = [...credentialsFor(access), ...(csv && !csv.only ? ["Accept"] : [])];
  return async (req, res) => {
    const input = parseInput(declared.input, req, inPath);
    const { originalUrl: url, query } = req;
    const snapshot = () => snapshotFor(req, shared.db);
    const output = await declared.handle(input, { ...shared, userId: userOf(req), url, query, snapshot });
    const link = declared.link?.(output);
    if (link !== undefined) res.set("Link", link);
    const form = representationFor(declared, req);
    const caching = typeof cache === "function" ? cache(output, input) : cache;
    await sendBody(req, res, {
      type: form,
      body: form === CSV ? (csv?.text(output, input) ?? "") : JSON.stringify(output),
      cacheControl: cacheControlFor(caching, access),
      isKeyed: req.caller.key !== undefined,
      vary,
      ...(typeof caching === "object" && caching),
    });
  };
}

function cacheControlFor(caching: Caching, access: Access): string {
  if (caching === "never") return "no-store";
  return access === "none" ? "public, no-cache" : "private, no-cache";
}

/** The headers that a response varies by. Even open endpoints refuse a wrong key. */
function credentialsFor(access: Access): string[] {
  if (access === "login") return ["Cookie"];
  return access === "session-or-key" || isOwnerScope(access) ? ["X-API-Key", "Cookie"] : ["X-API-Key"];
}

function writeFor({ access }: Endpoint, req: Request, { db }: SharedContext): WriteContext["write"] {
  return (work) =>
    db.transaction(async (transaction) => {
      const result = await work(transaction);
      await req.confirmAccess(transaction, access);
      return result;
    });
}

function answerForm(declared: FormEndpoint, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseInput(declared.input, req);
    const userId = isScope(declared.access) ? userOf(req) : req.caller.sessionUserId;
    const context = { ...shared, userId, write: writeFor(declared, req, shared) };
    const output = await declared.handle(input, context);
    res.set("Cache-Control", "no-store");
    if (!isHtmlForm(req)) return res.json(output);
    const from = refererPath(req, shared.baseUrl);
    if (req.session) {
      const languageFor = (own: string | null | undefined) => languageOfPage(req, from, own);
      const { flash, undo } = await declared.flash(input, output, { ...context, languageFor });
      await leaveFlash(req, flash, { undo });
    }
    res.redirect(303, from ?? declared.page(input));
  };
}

/** The language of the page that a request came from. */
function languageOfPage(req: Request, page = "", own: string | null | undefined = undefined): Language {
  return [prefixOf(page).slice(1), own ?? ""].find(isLanguage) ?? localeOf(req).language;
}

/** Redirects a refused form to its page with a message. Leaves requests that cannot show one to the next handler. */
function refuseForm(declared: FormEndpoint, shared: RouterContext): ErrorRequestHandler {
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
