import { z } from "zod";
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { FALLBACK } from "../../words/i18n/languages.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { TEXTS, type Translate, translate } from "../../words/i18n/translate.ts";
import { isOwnerScope, isScope, type Scope } from "../../words/scopes.ts";
import {
  badInput,
  gone,
  HttpError,
  moved,
  notFound,
  PROBLEMS,
  type ProblemName,
  problemBody,
  searchNotReady,
  toHttpError,
  unauthorized,
} from "../pages/errors.ts";
import { http } from "../server/node-http.ts";
import { HEAD_REFUSALS } from "../server/refused-heads.ts";
import {
  CSV,
  type Endpoint,
  NOT_MODIFIED,
  namesInPath,
  type OperationId,
  type OwnEndpoint,
  operationName,
  operationSummary,
  SUCCESS,
} from "./endpoint.ts";
import { type HeaderName, headersNamed } from "./openapi-headers.ts";

/** Refusals of each type, as the site sends them. */
const REFUSALS: Record<Exclude<ProblemName, "methodNotAllowed">, () => HttpError> = {
  badInput: () =>
    badInput([{ param: "limit", message: lazyText("input.whole_number", { min: 1, max: 50 }) }]),
  unauthorized: () => unauthorized(lazyText("errors.detail.wrong_key")),
  forbidden: () => new HttpError("forbidden", lazyText("errors.detail.other_site")),
  notFound: () => notFound("entry"),
  moved: () => moved("/api/items/sword"),
  gone: () => gone(new Date("2026-11-20T12:00:00Z")),
  preconditionFailed: () => new HttpError("preconditionFailed", lazyText("errors.detail.no_match")),
  keyReused: () => new HttpError("keyReused", lazyText("errors.detail.key_reused")),
  conflict: () => new HttpError("conflict", lazyText("errors.detail.polled")),
  payloadTooLarge: () =>
    new HttpError("payloadTooLarge", lazyText("errors.detail.too_many_bytes", { kilobytes: 64 })),
  unsupportedMediaType: () => new HttpError("unsupportedMediaType", lazyText("errors.detail.charset")),
  tooManyRequests: () =>
    new HttpError(
      "tooManyRequests",
      lazyText("errors.detail.many_calls", { quota: 300, window: 60, wait: 34 }),
      {
        members: { "violated-policies": ["key"] },
      },
    ),
  internal: () => toHttpError(new Error("an example")),
  unavailable: searchNotReady,
};

type DescribedInput = z.ZodObject<Record<string, z.ZodType>>;

export const TAGS = ["search", "records", "servers", "nicknames", "favorites", "notifications"] as const;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const WRITE_INPUT =
  "Parameters are sent as JSON, as a form or in the query string, each in one place only. In JSON, a number is read as its " +
  "text, and null counts as missing.";

/** Headers that every response may have. */
const ALWAYS = ["X-Request-Id", "RateLimit", "RateLimit-Policy"] as const satisfies HeaderName[];

/** Headers that only some problems have. */
const OWN_HEADERS: Partial<Record<ProblemName, HeaderName[]>> = {
  moved: ["Location"],
  gone: ["Link"],
  unauthorized: ["WWW-Authenticate"],
  tooManyRequests: ["Retry-After"],
  unavailable: ["Retry-After"],
};

/** The body of every error response (RFC 9457). */
const problem = z
  .object({
    type: z.url().meta({ description: "Stable; resolves to a description of the problem." }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(z.object({ param: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "For bad input: all errors." }),
    scope: z.string().optional().meta({ description: "With 403: the scope that the API key lacks." }),
    records: z
      .array(z.object({ index: z.int(), id: z.string().nullable(), path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "With 400 for a batch: the errors of each record, by its index from 0." }),
    removed_at: z.iso.datetime().optional().meta({ description: "With 410: when the record was removed." }),
    "violated-policies": z
      .array(z.string())
      .optional()
      .meta({ description: "For too many requests: the limits that were reached." }),
    request_id: z
      .string()
      .optional()
      .meta({ description: "For faults of the site: the id to quote to its operator." }),
  })
  .meta({ id: "Problem" });

/** The document's entry for one endpoint. */
export function operation(declared: Endpoint): ZodOpenApiOperationObject {
  const { access, cost } = declared;
  const input = describedInput(declared);
  const summary = operationSummary(declared, translate(FALLBACK));
  return {
    operationId: operationName(declared),
    summary,
    description: [
      summary,
      ...(isScope(access) ? [scopeMeaning(access, translate(FALLBACK))] : []),
      ...(declared.type === "form" ? [WRITE_INPUT] : []),
      ...(declared.type === "own" && declared.body
        ? [`The body has at most ${declared.body.bytesAtMost / 1024} KiB.`]
        : []),
    ].join(" "),
    tags: [tagOf(declared)],
    security: security(declared),
    ...(isScope(access) && { "x-scope": access }),
    ...(cost !== undefined && { "x-cost": cost }),
    ...inputOf(declared, input),
    responses: responses(declared, Object.keys(input.shape).length > 0),
  };
}

function inputOf(declared: Endpoint, input: DescribedInput): Partial<ZodOpenApiOperationObject> {
  if (declared.type === "own") return ownInput(declared, input);
  if (declared.type === "form") return formInput(input);
  if (Object.keys(input.shape).length === 0) return {};
  return {
    requestParams: parametersOf(declared, input),
    ...(declared.hasFilters && { parameters: [filterParameter()] }),
  };
}

/** The parameters of a request without a form, by their location. */
function parametersOf({ path }: Endpoint, input: DescribedInput) {
  const inPath = namesInPath(path);
  const [ofPath, ofQuery] = [true, false].map((isInPath) =>
    Object.entries(input.shape).filter(([name]) => inPath.includes(name) === isInPath),
  );
  return {
    ...(ofPath?.length && { path: z.object(Object.fromEntries(ofPath)) }),
    ...(ofQuery?.length && { query: z.object(Object.fromEntries(ofQuery)) }),
  };
}

function tagOf({ path }: Endpoint): (typeof TAGS)[number] {
  const parts = path.split("/");
  if (parts[2] === "favorites" || parts[2] === "donate_favorites") return "favorites";
  if (path === "/api/notifications") return "notifications";
  if (parts[2] === "search" || parts.at(-1) === "search") return "search";
  if (path === "/api/data" || path === "/api/online") return "servers";
  return path === "/api/nickname-generator" ? "nicknames" : "records";
}

/** The input with the descriptions of its parameters. */
function describedInput({ operationId, input }: Endpoint): DescribedInput {
  const t = translate(FALLBACK);
  const described = Object.entries<z.ZodType>(input.shape).map(([name, schema]): [string, z.ZodType] => [
    name,
    schema.meta({ description: parameterMeaning(operationId, name, t) }),
  ]);
  return z.object(Object.fromEntries(described));
}

/** The description of a parameter: the endpoint's own, if there is one, else the general one. */
export function parameterMeaning(operationId: OperationId, name: string, t: Translate): string | undefined {
  const key = [`${operationId}_${name}`, name].find(isDescribed);
  return key && t(`docs.param.${key}`);
}

function isDescribed(name: string): name is keyof typeof TEXTS.docs.param {
  return Object.hasOwn(TEXTS.docs.param, name);
}

/** The scope that a key needs, and who grants it. */
export function scopeMeaning(scope: Scope, t: Translate): string {
  return isOwnerScope(scope)
    ? t("docs.access.owner_scope", { scope })
    : t("docs.access.granted_scope", { scope });
}

/**
 * Alternatives; the empty one means that no log-in is needed. API keys have no scopes in OpenAPI, and linters refuse
 * the roles that 3.1 allows instead, so `x-scope` has them.
 */
function security({ access }: Endpoint): Record<string, string[]>[] {
  const keys: Record<string, string[]>[] = [{ keyHeader: [] }, { keyQuery: [] }];
  if (access === "none") return [{}, ...keys];
  if (isScope(access) && !isOwnerScope(access)) return keys;
  return access === "login" ? [{ session: [] }] : [...keys, { session: [] }];
}

/** Each parameter may be in the query string or in the body. */
function formInput(input: z.ZodObject): Partial<ZodOpenApiOperationObject> {
  const schema = input.partial();
  const types = [JSON_TYPE, FORM_TYPE];
  return {
    requestParams: { query: schema },
    requestBody: {
      description: WRITE_INPUT,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
}

function ownInput(declared: OwnEndpoint, input: DescribedInput): Partial<ZodOpenApiOperationObject> {
  const { body, requestHeaders = {} } = declared;
  const headers = Object.entries(requestHeaders).map(([name, { meaning, pattern }]): [string, z.ZodType] => [
    name,
    z.string().regex(pattern).optional().meta({ description: meaning }),
  ]);
  const types = body?.types ?? [];
  const parameters = {
    ...parametersOf(declared, input),
    ...(headers.length > 0 && { header: z.object(Object.fromEntries(headers)) }),
  };
  return {
    ...(Object.keys(parameters).length > 0 && { requestParams: parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          types.map((type) => [type, { schema: isJson(type) ? body.schema : z.string() }]),
        ),
      },
    }),
  };
}

/** False for NDJSON, which is no JSON. */
function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

function responses(declared: Endpoint, hasInput: boolean): ZodOpenApiResponsesObject {
  const mayBeForm = declared.type === "form" && hasInput;
  const failures: ProblemName[] = [
    "unauthorized",
    ...problemsOf(declared, hasInput),
    "tooManyRequests",
    "internal",
    "unavailable",
  ];
  return {
    ...successes(declared),
    ...Object.fromEntries(failures.map((name) => [String(PROBLEMS[name].status), failure(name, mayBeForm)])),
    "431": headTooLarge(),
  };
}

function successes(declared: Endpoint): ZodOpenApiResponsesObject {
  const cached: HeaderName[] =
    declared.method === "GET" ? ["ETag", "Cache-Control", "Vary"] : ["Cache-Control"];
  const headers = headersNamed(...cached, ...ALWAYS);
  if (declared.type === "own") {
    const answers = Object.entries(declared.answers).map(([status, { meaning, headers: own = [], body }]) => [
      status,
      {
        description: meaning,
        headers: { ...headers, ...headersNamed(...own) },
        ...(body && {
          content: typeof body === "string" ? { [body]: {} } : { [JSON_TYPE]: { schema: body } },
        }),
      },
    ]);
    return Object.fromEntries(answers);
  }
  const { output } = declared;
  if (declared.type === "form")
    return {
      "200": { description: SUCCESS, headers, content: { [JSON_TYPE]: { schema: output } } },
      "303": formAnswer(),
    };
  const { csv } = declared;
  const content = {
    ...(!csv?.only && { [JSON_TYPE]: { schema: output } }),
    ...(csv && { [CSV]: { schema: { type: "string" as const } } }),
  };
  return {
    "200": {
      description: SUCCESS,
      headers: { ...headers, ...(declared.link && headersNamed("Link")) },
      content,
    },
    "304": { description: NOT_MODIFIED, headers },
  };
}

function problemsOf(declared: Endpoint, hasInput: boolean): ProblemName[] {
  if (declared.type === "own") return [...declared.problems];
  const ofInput: ProblemName[] = hasInput ? ["badInput"] : [];
  if (declared.type === "form")
    return [...ofInput, "forbidden", "notFound", "payloadTooLarge", "unsupportedMediaType"];
  return [
    ...ofInput,
    ...(isScope(declared.access) ? ["forbidden" as const] : []),
    ...(declared.problems ?? []),
  ];
}

/**
 * The filters of a list as one parameter: with `form` and `explode`, its keys are names in the query string. Client
 * generators do not know patterns of names.
 */
function filterParameter() {
  const schema = {
    type: "object" as const,
    description: translate(FALLBACK)("docs.param.filters"),
    additionalProperties: { type: "string" as const },
  };
  return { in: "query" as const, name: "filters", style: "form" as const, explode: true, schema };
}

function formAnswer() {
  return {
    description: "To a plain HTML form, with `Accept: text/html`: back to its page, or to the log-in page.",
    headers: headersNamed("Location", "Cache-Control", ...ALWAYS),
    content: { "text/html": { schema: { type: "string" as const } } },
  };
}

/** A refusal before the site sees the request (see refused-heads.ts), so the response has hardly any headers. */
function headTooLarge() {
  const status = 431;
  const [title, detail] = [http.STATUS_CODES[status] ?? "", HEAD_REFUSALS[status]];
  const examples = { refused: { value: { type: "about:blank", title, status, detail } } };
  return { description: detail, content: { "application/problem+json": { schema: problem, examples } } };
}

/** @param mayBeForm whether a plain HTML form gets a page */
function failure(name: ProblemName, mayBeForm: boolean) {
  const { title, meaning } = PROBLEMS[name];
  const t = translate(FALLBACK);
  return {
    description: `${t(title)}. ${t(meaning)}`,
    headers: headersNamed("Cache-Control", ...ALWAYS, ...(OWN_HEADERS[name] ?? [])),
    content: {
      "application/problem+json": {
        schema: problem,
        examples: { [name]: { $ref: `#/components/examples/${name}` } },
      },
      ...(mayBeForm && { "text/html": { schema: { type: "string" as const } } }),
    },
  };
}

/** An example of an error of each type, by the problem's name. */
export function problemExamples(baseUrl: string): Record<string, oas31.ExampleObject> {
  const requestId = "a4f0004a-ebf1-4715-9699-d88560595aa8";
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([name, refuse]) => [
      name,
      { value: problemBody(refuse(), FALLBACK, baseUrl, requestId) },
    ]),
  );
}
