import { type RequestHandler, Router } from "express";
import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { FALLBACK } from "../i18n/languages.ts";
import { TEXTS, type Translate, translate } from "../i18n/translate.ts";
import type { Endpoint, OperationId } from "./endpoint.ts";
import { methodNotAllowed, PROBLEMS, type ProblemName } from "./errors.ts";
import { sendBody } from "./send.ts";

export interface OpenapiSite {
  name: string;
  baseUrl: string;
  cookieName: string;
}

export type OpenapiDocument = ReturnType<typeof createDocument>;

/** Increased when an existing client could notice; paths have no version. */
const API_VERSION = "1.0.0";

/** The body of every answer that is not a success (RFC 9457). */
const problem = z
  .object({
    type: z.url().meta({ description: "Stable; resolves to a description of the problem." }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(z.object({ param: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "For bad input: everything that is wrong with it." }),
    request_id: z
      .string()
      .optional()
      .meta({ description: "For faults of the site: what its operator needs." }),
  })
  .meta({ id: "Problem" });

/** The OpenAPI 3.1 document, made from the objects that validate and answer requests. */
export function openapiDocument(endpoints: Endpoint[], site: OpenapiSite): OpenapiDocument {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const declared of endpoints) {
    paths[declared.path] = { ...paths[declared.path], [declared.method.toLowerCase()]: operation(declared) };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: { title: `${site.name} API`, version: API_VERSION, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: site.baseUrl }],
    paths,
    components: {
      securitySchemes: {
        keyHeader: { type: "apiKey", in: "header", name: "X-API-Key" },
        keyQuery: { type: "apiKey", in: "query", name: "api_key" },
        session: { type: "apiKey", in: "cookie", name: site.cookieName },
      },
    },
  };
  return createDocument(document, { override: tidy });
}

/** `GET /api/openapi.json`, open to anybody without a wrong key. */
export function openapiRoute(endpoints: Endpoint[], site: OpenapiSite): Router {
  const body = JSON.stringify(openapiDocument(endpoints, site));
  const answer: RequestHandler = (req, res) => {
    const cacheControl = `${req.caller.keyUserId === undefined ? "public" : "private"}, no-cache`;
    return sendBody(req, res, { type: "application/json", body, cacheControl });
  };
  const router = Router();
  router.get("/", answer);
  router.all("/", (_req, _res, next) => next(methodNotAllowed(["GET", "HEAD", "OPTIONS"])));
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

function operation(declared: Endpoint): ZodOpenApiOperationObject {
  const { operationId } = declared;
  const input = describedInput(declared);
  const hasInput = Object.keys(input.shape).length > 0;
  return {
    operationId,
    summary: translate(FALLBACK)(`docs.endpoint.${operationId}`),
    security: security(declared),
    ...(hasInput &&
      (declared.method === "GET" ? { requestParams: { query: input } } : { requestBody: body(input) })),
    responses: responses(declared, hasInput),
  };
}

/** The input with what its parameters mean. */
function describedInput({ operationId, input }: Endpoint): z.ZodObject<Record<string, z.ZodType>> {
  const t = translate(FALLBACK);
  const described = Object.entries<z.ZodType>(input.shape).map(([name, schema]): [string, z.ZodType] => [
    name,
    schema.meta({ description: parameterMeaning(operationId, name, t) }),
  ]);
  return z.object(Object.fromEntries(described));
}

/** What a parameter means: at this endpoint where a text says that, else at any. */
export function parameterMeaning(operationId: OperationId, name: string, t: Translate): string | undefined {
  const key = [`${operationId}_${name}`, name].find(isDescribed);
  return key && t(`docs.param.${key}`);
}

function isDescribed(name: string): name is keyof typeof TEXTS.docs.param {
  return Object.hasOwn(TEXTS.docs.param, name);
}

/** Alternatives; the empty one stands for anybody. */
function security({ access }: Endpoint): Record<string, string[]>[] {
  const keys: Record<string, string[]>[] = [{ keyHeader: [] }, { keyQuery: [] }];
  if (access === "none") return [{}, ...keys];
  return access === "login" ? [{ session: [] }] : [...keys, { session: [] }];
}

function body(schema: z.ZodObject): ZodOpenApiOperationObject["requestBody"] {
  const description = "JSON or a form; the same parameters may be sent in the query string instead.";
  const types = ["application/json", "application/x-www-form-urlencoded"];
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function responses(declared: Endpoint, hasInput: boolean): ZodOpenApiResponsesObject {
  const isWrite = declared.method === "POST";
  const failures: ProblemName[] = [
    ...(hasInput ? (["badInput"] as const) : []),
    "unauthorized",
    ...(isWrite ? (["forbidden"] as const) : []),
    ...(isWrite || declared.namesRecord ? (["notFound"] as const) : []),
    ...(isWrite ? (["payloadTooLarge", "unsupportedMediaType"] as const) : []),
    "unavailable",
  ];
  return {
    "200": { description: "Success.", content: { "application/json": { schema: declared.output } } },
    ...(!isWrite && { "304": { description: "Not changed since the answer that If-None-Match names." } }),
    ...Object.fromEntries(failures.map((name) => [String(PROBLEMS[name].status), failure(name)])),
  };
}

function failure(name: ProblemName) {
  const { title, meaning } = PROBLEMS[name];
  const t = translate(FALLBACK);
  return {
    description: `${t(title)}. ${t(meaning)}`,
    content: { "application/problem+json": { schema: problem } },
  };
}
