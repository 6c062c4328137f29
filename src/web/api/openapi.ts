import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
} from "zod-openapi";
import { FALLBACK } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { paths } from "../../words/urls.ts";
import type { Endpoint } from "./endpoint.ts";
import { HEADERS } from "./openapi-headers.ts";
import { operation, problemExamples, TAGS } from "./openapi-operation.ts";

export interface OpenapiSite {
  name: string;
  baseUrl: string;
  cookieName: string;
}

export type OpenapiDocument = ReturnType<typeof createDocument>;

/** Increase it if an existing client could notice a change; paths have no version. */
const API_VERSION = "1.0.0";

/** The OpenAPI 3.1 document, built from the objects that validate and answer requests. */
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
      headers: HEADERS,
      examples: problemExamples(site.baseUrl),
      securitySchemes: {
        keyHeader: { type: "apiKey", in: "header", name: "X-API-Key" },
        keyQuery: { type: "apiKey", in: "query", name: "api_key" },
        session: { type: "apiKey", in: "cookie", name: site.cookieName },
      },
    },
  };
  return createDocument(document, { override: tidy });
}

/**
 * Removes parts that only matter for the checks: patterns of integers sent as text, safe-integer bounds, closed
 * objects. Also removes parts that add nothing but break client generators: the pattern of a format, and that names of
 * members are texts.
 */
function tidy({ jsonSchema, zodSchema }: Parameters<ZodOpenApiOverride>[0]): void {
  const { def } = zodSchema._zod;
  if (def.type === "default" && "defaultValue" in def) jsonSchema.default = def.defaultValue;
  if (jsonSchema.type === "integer" || jsonSchema.format !== undefined) delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
