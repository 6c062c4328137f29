import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { FALLBACK } from "../../words/i18n/languages.ts";
import { TEXTS, type Translate, translate } from "../../words/i18n/translate.ts";
import { isOwnerScope, isScope, type Scope } from "../../words/scopes.ts";
import { PROBLEMS, type ProblemName } from "../pages/errors.ts";
import { http } from "../server/node-http.ts";
import { HEAD_REFUSALS } from "../server/refused-heads.ts";
import { CSV, type Endpoint, type OwnAnswers } from "./endpoint.ts";
import { namesInPath } from "./endpoint-paths.ts";
import { ANNOUNCING, type HeaderName, headersNamed } from "./openapi-headers.ts";
import { problemExample } from "./openapi-problems.ts";
import { type OperationId, operationName, operationSummary } from "./operation-names.ts";

/** Groups of operations. */
export const TAGS = ["search", "records", "servers", "nicknames", "favorites", "notifications"] as const;

const FORM_TYPE = "application/x-www-form-urlencoded";
const WRITE_INPUT =
  "Parameters are sent as JSON, as a form or in the query string, each in one place only. In JSON, a number is read as its " +
  "text, and null counts as missing.";

/** Headers that every answer may have. */
const ALWAYS = ["X-Request-Id", "RateLimit", "RateLimit-Policy"] as const satisfies HeaderName[];

/** Headers that only some problems have. */
const OWN_HEADERS: Partial<Record<ProblemName, HeaderName[]>> = {
  unauthorized: ["WWW-Authenticate"],
  tooManyRequests: ["Retry-After"],
  unavailable: ["Retry-After"],
};

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
  const { access, method, deprecated, cost } = declared;
  const input = describedInput(declared);
  const hasInput = Object.keys(input.shape).length > 0;
  const summary = operationSummary(declared, translate(FALLBACK));
  return {
    operationId: operationName(declared),
    summary,
    description: [
      summary,
      ...(isScope(access) ? [scopeMeaning(access, translate(FALLBACK))] : []),
      ...(method === "POST" && !declared.own ? [WRITE_INPUT] : []),
      ...(declared.own?.body ? [`The body has at most ${declared.own.body.bytesAtMost / 1024} KiB.`] : []),
    ].join(" "),
    tags: [tagOf(declared)],
    security: security(declared),
    ...(isScope(access) && { "x-scope": access }),
    ...(cost !== undefined && { "x-cost": cost }),
    ...(deprecated && { deprecated: true }),
    ...(declared.own && ownInput(declared, declared.own, input)),
    ...(hasInput &&
      !declared.own &&
      (method === "GET"
        ? {
            requestParams: parametersOf(declared, input),
            ...(declared.hasFilters && { parameters: [filterParameter()] }),
          }
        : writeInput(input))),
    responses: declared.own ? ownResponses(declared, declared.own) : responses(declared, hasInput),
  };
}

/** The parameters of a read, by where they stand. */
function parametersOf({ path }: Endpoint, input: z.ZodObject<Record<string, z.ZodType>>) {
  const inPath = namesInPath(path);
  const [ofPath, ofQuery] = [true, false].map((isInPath) =>
    Object.entries(input.shape).filter(([name]) => inPath.includes(name) === isInPath),
  );
  return {
    ...(ofPath?.length && { path: z.object(Object.fromEntries(ofPath)) }),
    ...(ofQuery?.length && { query: z.object(Object.fromEntries(ofQuery)) }),
  };
}

/** The group of an endpoint, by its path. */
function tagOf({ path }: Endpoint): (typeof TAGS)[number] {
  const parts = path.split("/");
  if (parts[2] === "favorites" || parts[2] === "donate_favorites") return "favorites";
  if (path === "/api/notifications") return "notifications";
  if (parts[2] === "search" || parts.at(-1) === "search") return "search";
  if (path === "/api/data" || path === "/api/online") return "servers";
  return path === "/api/nickname-generator" ? "nicknames" : "records";
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

/** The meaning of a parameter: at this endpoint if it has a text there, else at any. */
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
 * Alternatives; the empty one stands for anybody. Keys have no scopes by OpenAPI, and linters refuse the roles that 3.1
 * allows in their place, so `x-scope` has them.
 */
function security({ access }: Endpoint): Record<string, string[]>[] {
  const keys: Record<string, string[]>[] = [{ keyHeader: [] }, { keyQuery: [] }];
  if (access === "none") return [{}, ...keys];
  if (isScope(access) && !isOwnerScope(access)) return keys;
  return access === "login" ? [{ session: [] }] : [...keys, { session: [] }];
}

/** Each parameter may be in the query string or in the body. */
function writeInput(input: z.ZodObject): Pick<ZodOpenApiOperationObject, "requestParams" | "requestBody"> {
  const schema = input.partial();
  const types = ["application/json", FORM_TYPE];
  return {
    requestParams: { query: schema },
    requestBody: {
      description: WRITE_INPUT,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
}

/** The input of an endpoint that answers by itself. */
function ownInput(
  declared: Endpoint,
  { body, requestHeaders }: OwnAnswers,
  input: z.ZodObject<Record<string, z.ZodType>>,
): Pick<ZodOpenApiOperationObject, "requestParams" | "requestBody"> {
  const headers = Object.entries(requestHeaders).map(([name, { meaning, pattern }]): [string, z.ZodType] => [
    name,
    z.string().regex(pattern).optional().meta({ description: meaning }),
  ]);
  const types = body?.types ?? [];
  return {
    requestParams: { ...parametersOf(declared, input), header: z.object(Object.fromEntries(headers)) },
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

/** NDJSON is no JSON. */
function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

function ownResponses({ output }: Endpoint, { answers, problems }: OwnAnswers): ZodOpenApiResponsesObject {
  const successes = Object.entries(answers).map(([status, { meaning, headers = [], hasBody }]) => [
    status,
    {
      description: meaning,
      headers: headersNamed("Cache-Control", ...ALWAYS, ...headers),
      ...(hasBody && { content: { "application/json": { schema: output } } }),
    },
  ]);
  const failures: ProblemName[] = ["unauthorized", ...problems, "tooManyRequests", "internal", "unavailable"];
  return {
    ...Object.fromEntries(successes),
    ...Object.fromEntries(failures.map((name) => [String(PROBLEMS[name].status), failure(name, false)])),
    "431": headTooLarge(),
  };
}

function responses(declared: Endpoint, hasInput: boolean): ZodOpenApiResponsesObject {
  const isWrite = declared.method === "POST";
  const failures: ProblemName[] = [
    ...(hasInput ? (["badInput"] as const) : []),
    "unauthorized",
    ...(isWrite || isScope(declared.access) ? (["forbidden"] as const) : []),
    ...(isWrite || declared.namesRecord ? (["notFound"] as const) : []),
    ...(declared.knowsRemoved ? (["gone"] as const) : []),
    ...(isWrite ? (["payloadTooLarge", "unsupportedMediaType"] as const) : []),
    "tooManyRequests",
    "internal",
    "unavailable",
  ];
  const announced = declared.deprecated ? ANNOUNCING : [];
  const { file } = declared;
  const cached: HeaderName[] = isWrite ? ["Cache-Control"] : ["ETag", "Cache-Control", "Vary"];
  const headers = headersNamed(...cached, ...ALWAYS, ...announced);
  const content = file ? { [file.type]: {} } : contentOf(declared);
  return {
    "200": { description: "Success.", headers, content },
    ...(isWrite
      ? { "303": formAnswer() }
      : { "304": { description: "Not changed since the answer that If-None-Match names.", headers } }),
    ...Object.fromEntries(
      failures.map((name) => [String(PROBLEMS[name].status), failure(name, isWrite && hasInput)]),
    ),
    "431": headTooLarge(),
  };
}

function contentOf({ csv, output }: Endpoint) {
  return {
    ...(!csv?.only && { "application/json": { schema: output } }),
    ...(csv && { [CSV]: { schema: { type: "string" as const } } }),
  };
}

/**
 * The filters of a list as one parameter: with `form` and `explode`, its keys are names in the query string. Generators of
 * clients know no patterns of names, and other names are ignored as anywhere.
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

/** A refusal before the site sees the request (see refused-heads.ts), so it has hardly any headers. */
function headTooLarge() {
  const status = 431;
  const [title, detail] = [http.STATUS_CODES[status] ?? "", HEAD_REFUSALS[status]];
  const examples = { refused: { value: { type: "about:blank", title, status, detail } } };
  return { description: detail, content: { "application/problem+json": { schema: problem, examples } } };
}

/** @param mayBeForm whether a plain HTML form is answered by a page */
function failure(name: ProblemName, mayBeForm: boolean) {
  const { title, meaning } = PROBLEMS[name];
  const t = translate(FALLBACK);
  return {
    description: `${t(title)}. ${t(meaning)}`,
    headers: headersNamed("Cache-Control", ...ALWAYS, ...(OWN_HEADERS[name] ?? [])),
    content: {
      "application/problem+json": { schema: problem, examples: problemExample(name) },
      ...(mayBeForm && { "text/html": { schema: { type: "string" as const } } }),
    },
  };
}
