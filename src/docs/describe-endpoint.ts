import type { oas31 } from "zod-openapi";
import type { Endpoint } from "../http/endpoint.ts";
import type { OpenapiDocument } from "../http/openapi.ts";
import type { Translate } from "../i18n/translate.ts";
import { parameterText, schemaText } from "./schema-text.ts";
import { ACCESS_TEXTS, type DocsText, ENDPOINT_TEXTS, PARAMETER_TEXTS } from "./texts.ts";

/** One endpoint as /docs/api shows it. */
export interface EndpointDescription {
  /** Anchor on the page, and the operation's id in the OpenAPI document. */
  id: string;
  method: string;
  path: string;
  /** In the reader's language, where it is known there. */
  summary: string;
  access: string;
  parameters: ParameterDescription[];
  /** A command line that can be pasted. */
  example: string;
  /** The answer's type, in the notation of TypeScript. */
  response: string;
}

interface ParameterDescription {
  name: string;
  required: boolean;
  type: string;
  default: string | undefined;
  description: string | undefined;
}

/** Values that make sense in examples, by the parameter's name; ids are those of the demo data. */
const EXAMPLE_VALUES: Record<string, string> = {
  q: "infernus",
  country: "ru",
  count: "5",
  server_id: "ls-one",
  item_key: "vip-gold",
  kind: "item",
  entity_id: "weapon-24",
};

/** What a page needs to explain an endpoint: from the OpenAPI document where that says it, else from the declaration. */
export function describeEndpoint(
  declared: Endpoint,
  document: OpenapiDocument,
  baseUrl: string,
  t: Translate,
): EndpointDescription {
  const operation = document.paths?.[declared.path]?.[declared.method === "GET" ? "get" : "post"] ?? {};
  const answer = operation.responses?.["200"] as oas31.ResponseObject | undefined;
  return {
    id: declared.operationId,
    method: declared.method,
    path: declared.path,
    summary: textOf(ENDPOINT_TEXTS, declared.operationId, t) ?? declared.summary,
    access: t(ACCESS_TEXTS[declared.access]),
    parameters: [...queryParameters(operation, t), ...bodyParameters(operation, t)],
    example: exampleOf(declared, baseUrl),
    response: schemaText(answer?.content?.["application/json"]?.schema),
  };
}

/** The types that answers refer to by name. */
export function describeTypes(document: OpenapiDocument): { name: string; text: string }[] {
  const schemas = Object.entries(document.components?.schemas ?? {});
  return schemas.map(([name, schema]) => ({ name, text: schemaText(schema) }));
}

/** The text of a name; undefined where there is none for it. */
function textOf(keys: Readonly<Record<string, DocsText>>, name: string, t: Translate): string | undefined {
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  return key === undefined ? undefined : t(key);
}

function queryParameters(operation: oas31.OperationObject, t: Translate): ParameterDescription[] {
  return (operation.parameters ?? []).flatMap((parameter) =>
    "name" in parameter
      ? [
          describe(
            operation,
            parameter.name,
            parameter.schema as oas31.SchemaObject,
            parameter.required === true,
            t,
          ),
        ]
      : [],
  );
}

function bodyParameters(operation: oas31.OperationObject, t: Translate): ParameterDescription[] {
  const body = operation.requestBody as oas31.RequestBodyObject | undefined;
  const schema = body?.content["application/json"]?.schema as oas31.SchemaObject | undefined;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) =>
    describe(operation, name, property as oas31.SchemaObject, schema?.required?.includes(name) === true, t),
  );
}

function describe(
  operation: oas31.OperationObject,
  name: string,
  schema: oas31.SchemaObject,
  required: boolean,
  t: Translate,
): ParameterDescription {
  const { description } = schema;
  const own = `${operation.operationId} ${name}`;
  return {
    name,
    required,
    type: parameterText(schema, t),
    default: schema.default === undefined ? undefined : String(schema.default),
    description: textOf(PARAMETER_TEXTS, own, t) ?? textOf(PARAMETER_TEXTS, name, t) ?? description,
  };
}

function exampleOf(declared: Endpoint, baseUrl: string): string {
  const values = Object.keys(declared.input.shape).flatMap((name) => {
    const value = EXAMPLE_VALUES[name];
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  const url = `${baseUrl}${declared.path}`;
  if (declared.method === "POST") {
    const body = JSON.stringify(Object.fromEntries(values));
    return `curl -b cookies.txt -H 'Content-Type: application/json' -d '${body}' '${url}'`;
  }
  const query = values.length === 0 ? "" : `?${new URLSearchParams(values)}`;
  const key = declared.access === "session-or-key" ? "-H 'X-API-Key: YOUR_KEY' " : "";
  return `curl ${key}'${url}${query}'`;
}
