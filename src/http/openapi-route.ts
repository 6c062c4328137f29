import { type Request, type RequestHandler, Router } from "express";
import { admitFew } from "./admission.ts";
import type { AppContext } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import { methodNotAllowed } from "./errors.ts";
import type { OpenapiDocument } from "./openapi.ts";
import { type ExampleCalls, withExamples } from "./openapi-examples.ts";
import { sendBody } from "./send.ts";

/** The OpenAPI document. */
export type ReadDocument = () => Promise<OpenapiDocument>;

/** Makes the document when somebody asks for it: that takes as long as the rest of the start. */
export function documentOnce(
  endpoints: Endpoint[],
  { config, sessions }: Pick<AppContext, "config" | "sessions">,
): ReadDocument {
  const site = { name: config.siteName, baseUrl: config.baseUrl, cookieName: sessions.cookieName };
  let made: Promise<OpenapiDocument> | undefined;
  return () => {
    made ??= import("./openapi.ts").then(({ openapiDocument }) => openapiDocument(endpoints, site));
    return made;
  };
}

/** The examples of the document, as `GET /api/openapi.json` gets them: with a text that differs when they do. */
export type ReadExamples = (req: Request) => Promise<{ version: string; calls: ExampleCalls } | undefined>;

/**
 * `GET /api/openapi.json`, open to anybody without a wrong key. Nothing is looked up for it but the examples, which are
 * kept ready; while the database is away it has none.
 */
export function openapiRoute(readDocument: ReadDocument, readExamples: ReadExamples): Router {
  let made: { readonly version: string; readonly body: string } | undefined;
  const answer: RequestHandler = async (req, res) => {
    const examples = await readExamples(req);
    const { version, calls } = examples ?? { version: "", calls: {} };
    if (made?.version !== version)
      made = { version, body: JSON.stringify(withExamples(await readDocument(), calls)) };
    return sendBody(req, res, {
      type: "application/json",
      body: made.body,
      cacheControl: "public, no-cache",
      isKeyed: req.caller.key !== undefined,
      vary: ["X-API-Key"],
      changesWith: examples && ["examples"],
    });
  };
  const router = Router();
  const methods = ["GET", "HEAD", "OPTIONS"];
  router.get("/", admitFew()(answer));
  router.options("/", (_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
  router.all("/", (_req, _res, next) => next(methodNotAllowed(methods)));
  return router;
}
