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
import { accessError } from "../session/auth.ts";
import { leaveFlash } from "../session/session.ts";
import {
  CSV,
  type Deprecation,
  type Endpoint,
  type EndpointContext,
  type Method,
  type OwnAnswers,
  representationFor,
  type SharedContext,
} from "./endpoint.ts";
import { namesInPath, routeOf } from "./endpoint-paths.ts";

/**
 * Routes for endpoints. Checks run in this order: access (401), method (405), body (415, 413), access again, input
 * (400). At the end of a write's transaction it checks access once more (see `EndpointContext.write`). A refused
 * plain HTML form leads back to its page, with a message.
 */
export function endpointRouter(
  endpoints: Endpoint[],
  shared: SharedContext,
  siteData: RequestHandler,
): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, ofPath] of Map.groupBy(endpoints, (declared) => declared.path)) {
    const route = router.route(routeOf(path).slice("/api".length));
    const methods = methodsOf(ofPath);
    route.options((_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
    for (const declared of ofPath) addMethod(route, declared, shared, siteData);
    // A caller without access to any of its methods does not see them.
    const [first] = ofPath;
    if (first) route.all(checkAccess(first, shared));
    route.all((_req, _res, next) => next(methodNotAllowed(methods)));
  }
  return router;
}

/** The methods that a path has by its endpoints. */
function methodsOf(endpoints: readonly Pick<Endpoint, "method">[]): string[] {
  const methods = endpoints.map(({ method }) => method);
  return [
    ...(methods.includes("GET") ? ["GET", "HEAD"] : []),
    ...methods.filter((each) => each !== "GET"),
    "OPTIONS",
  ];
}

function addMethod(route: IRoute, declared: Endpoint, shared: SharedContext, siteData: RequestHandler): void {
  const { method, own, readsSite, deprecated } = declared;
  const check = checkAccess(declared, shared);
  const before = [
    ...(deprecated ? [announce(deprecated, shared.baseUrl)] : []),
    check,
    ...(readsSite ? [siteData] : []),
  ];
  if (own) {
    const read = own.body ? [readBytes(own.body), check] : [];
    route[routeMethod(method)](...before, ...read, answerByItself(declared, own, shared));
  } else if (method === "GET") route.get(...before, answerRead(declared, shared));
  else route.post(...before, readBody, check, answerWrite(declared, shared), refuseForm(declared, shared));
}

function routeMethod(method: Method) {
  return method.toLowerCase() as Lowercase<Method>;
}

function answerByItself(declared: Endpoint, own: OwnAnswers, shared: SharedContext): RequestHandler {
  return async (req, res) => {
    const input = parseParameters(declared.input, req, namesInPath(declared.path));
    const context = { ...shared, ...contextOf(declared, req, shared), userId: userOf(req) };
    await own.send(input, { req, res }, context);
  };
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
  const inPath = namesInPath(declared.path);
  const readsDb = readsDatabase(declared);
  const credentials = credentialsOf(declared);
  const vary = [...credentials, ...(declared.csv && !declared.csv.only ? ["Accept"] : [])];
  return async (req, res) => {
    const input = parseInput(declared.input, req, inPath);
    const snapshot = () => snapshotFor(req, shared.db);
    const db = readsDb ? await snapshot() : shared.db;
    const { site, originalUrl: url, query } = req;
    // One spread: V8 copies the second one name by name, for every request.
    const context = {
      ...shared,
      db,
      userId: userOf(req),
      site,
      url,
      query,
      snapshot,
      write: refuseWrite,
    };
    const output = await declared.handle(input, context);
    if (declared.file) {
      for (const header of credentials) res.vary(header);
      return declared.file.send(output, { req, res }, context);
    }
    if (declared.headers) res.set(declared.headers(output));
    const isKeyed = req.caller.key !== undefined;
    const reusable = declared.access === "none" ? "public, no-cache" : "private, no-cache";
    const cacheControl = declared.uncacheable?.(input, output) ? "no-store" : reusable;
    const form = representationFor(declared, req);
    const also = declared.alsoOf?.(output, input);
    const sources = declared.changesWith && [...declared.changesWith, ...(also?.changesWith ?? [])];
    const changesWith = cacheControl === "no-store" ? undefined : sources;
    const showsTime = declared.showsTime === true || also?.showsTime === true;
    await sendBody(req, res, {
      type: form,
      body: form === CSV ? (declared.csv?.text(output, input) ?? "") : JSON.stringify(output),
      cacheControl,
      isKeyed,
      vary,
      changesWith,
      showsTime,
    });
  };
}

function contextOf({ access }: Endpoint, req: Request, { db }: SharedContext) {
  const { site, originalUrl: url, query } = req;
  const write: EndpointContext["write"] = (work) =>
    db.transaction(async (transaction) => {
      const result = await work(transaction);
      await req.confirmAccess(transaction, access);
      return result;
    });
  return { site, url, query, write, snapshot: async () => db };
}

function refuseWrite(): never {
  throw new Error("a read must not write");
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
    const userId = isScope(declared.access) ? userOf(req) : req.caller.sessionUserId;
    const context = { ...shared, ...contextOf(declared, req, shared), userId };
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
