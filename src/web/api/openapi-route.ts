import { type RequestHandler, Router } from "express";
import { sendBody } from "../answers/send.ts";
import type { BaseContext } from "../pages/context.ts";
import { methodNotAllowed } from "../pages/errors.ts";
import { admitFew } from "../server/admission.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OpenapiDocument } from "./openapi.ts";
import { addExamples, type ExampleCalls } from "./openapi-examples.ts";

/** The OpenAPI document. */
export type ReadDocument = () => Promise<OpenapiDocument>;

/** Builds the document at the first request: that takes as long as the rest of the start. */
export function documentOnce(
  endpoints: Endpoint[],
  calls: ExampleCalls,
  { config, sessions }: Pick<BaseContext, "config" | "sessions">,
): ReadDocument {
  const site = { name: config.siteName, baseUrl: config.baseUrl, cookieName: sessions.cookieName };
  let made: Promise<OpenapiDocument> | undefined;
  return () => {
    made ??= import("./openapi.ts").then(({ openapiDocument }) => {
      const document = openapiDocument(endpoints, site);
      addExamples(document, calls);
      return document;
    });
    return made;
  };
}

/** `GET /api/openapi.json`, open to anybody without a wrong key. Nothing is looked up for it. */
export function openapiRoute(readDocument: ReadDocument): Router {
  let body: string | undefined;
  const answer: RequestHandler = async (req, res) => {
    body ??= JSON.stringify(await readDocument());
    return sendBody(req, res, {
      type: "application/json",
      body,
      cacheControl: "public, no-cache",
      isKeyed: req.caller.key !== undefined,
      vary: ["X-API-Key"],
      dependsOn: [],
    });
  };
  const router = Router();
  const methods = ["GET", "HEAD", "OPTIONS"];
  router.get("/", admitFew()(answer));
  router.options("/", (_req, res) => void res.set("Allow", methods.join(", ")).status(204).end());
  router.all("/", (_req, _res, next) => next(methodNotAllowed(methods)));
  return router;
}
