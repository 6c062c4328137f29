import { type Request, type RequestHandler, Router } from "express";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
} from "zod-openapi";
import { FALLBACK } from "../i18n/languages.ts";
import { translate } from "../i18n/translate.ts";
import { paths } from "../urls.ts";
import { admitFew } from "./admission.ts";
import type { Endpoint } from "./endpoint.ts";
import { methodNotAllowed } from "./errors.ts";
import { type ExampleCalls, withExamples } from "./openapi-examples.ts";
import { ANNOUNCING, HEADERS } from "./openapi-headers.ts";
import { operation, TAGS } from "./openapi-operation.ts";
import { BLANK, describeLeniency } from "./openapi-parameters.ts";
import { problemExamples } from "./openapi-problems.ts";
import { sendBody } from "./send.ts";

export interface OpenapiSite {
  name: string;
  baseUrl: string;
  cookieName: string;
}

export type OpenapiDocument = ReturnType<typeof createDocument>;

/** Increased when an existing client could notice; paths have no version. */
const API_VERSION = "1.0.0";

/** The OpenAPI 3.1 document, made from the objects that validate and answer requests. */
export function openapiDocument(endpoints: Endpoint[], site: OpenapiSite): OpenapiDocument {
  const operations: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const declared of endpoints) {
    operations[declared.path] = {
      ...operations[declared.path],
      [declared.method.toLowerCase()]: operation(declared),
    };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: `${site.name} API`,
      version: API_VERSION,
      description: translate(FALLBACK)("docs.document", { docs: site.baseUrl + paths.apiDocs() }),
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: site.name, url: site.baseUrl },
    },
    servers: [{ url: site.baseUrl }],
    tags: TAGS.map((name) => ({ name, description: translate(FALLBACK)(`docs.tag.${name}`) })),
    externalDocs: { url: site.baseUrl + paths.apiDocs() },
    paths: operations,
    components: {
      schemas: { Blank: BLANK },
      headers: headersOf(endpoints),
      examples: problemExamples(site.baseUrl),
      securitySchemes: {
        keyHeader: { type: "apiKey", in: "header", name: "X-API-Key" },
        keyQuery: { type: "apiKey", in: "query", name: "api_key" },
        session: { type: "apiKey", in: "cookie", name: site.cookieName },
      },
    },
  };
  const created = createDocument(document, { override: tidy });
  for (const { get, post, put, patch, delete: remove } of Object.values(created.paths ?? {})) {
    for (const operation of [get, post, put, patch, remove]) if (operation) describeLeniency(operation);
  }
  return created;
}

/** Those that some response refers to. */
function headersOf(endpoints: Endpoint[]): typeof HEADERS {
  const isAnnounced = endpoints.some(({ deprecated }) => deprecated !== undefined);
  const unused = isAnnounced ? [] : ANNOUNCING;
  const used = Object.entries(HEADERS).filter(([name]) => !unused.some((header) => header === name));
  return Object.fromEntries(used) as typeof HEADERS;
}

/** The examples of the document, as `GET /api/openapi.json` gets them: with a text that differs when they do. */
export type ReadExamples = (req: Request) => Promise<{ version: string; calls: ExampleCalls } | undefined>;

/**
 * `GET /api/openapi.json`, open to anybody without a wrong key. Nothing is looked up for it but the examples, which are
 * kept ready; while the database is away it has none.
 */
export function openapiRoute(endpoints: Endpoint[], site: OpenapiSite, readExamples: ReadExamples): Router {
  const document = openapiDocument(endpoints, site);
  let made = { version: "", body: JSON.stringify(document) };
  const answer: RequestHandler = async (req, res) => {
    const examples = await readExamples(req);
    const { version, calls } = examples ?? { version: "", calls: {} };
    if (made.version !== version) made = { version, body: JSON.stringify(withExamples(document, calls)) };
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

/** Removes what only concerns the checks: patterns of integers sent as text, safe-integer bounds, closed objects. */
function tidy({ jsonSchema, zodSchema }: Parameters<ZodOpenApiOverride>[0]): void {
  const { def } = zodSchema._zod;
  if (def.type === "default" && "defaultValue" in def) jsonSchema.default = def.defaultValue;
  if (jsonSchema.type === "integer") delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
