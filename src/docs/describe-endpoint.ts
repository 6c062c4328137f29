import type { oas31 } from "zod-openapi";
import type { Endpoint, OperationId } from "../http/endpoint.ts";
import { type OpenapiDocument, parameterMeaning } from "../http/openapi.ts";
import type { Translate } from "../i18n/translate.ts";
import { parameterText, schemaText } from "./schema-text.ts";

/** One endpoint as /docs/api shows it. */
export interface EndpointDescription {
  /** Anchor on the page, and the operation's id in the OpenAPI document. */
  id: string;
  method: string;
  path: string;
  /** In the reader's language, as are the meanings of parameters. */
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

/** A parameter as the OpenAPI document has it. */
interface RawParameter {
  name: string;
  required: boolean;
  schema: oas31.SchemaObject;
}

/** Values that make sense in examples, by the parameter's name; ids are those of the demo data. */
const EXAMPLE_VALUES: Record<string, string> = {
  q: "infernus",
  country: "ru",
  count: "5",
  server_id: "ls-one",
  item_key: "vip-gold",
  kind: "item",
  id: "weapon-24",
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
    summary: t(`docs.endpoint.${declared.operationId}`),
    access: t(`docs.access.${declared.access}`),
    parameters: [...queryParameters(operation), ...bodyParameters(operation)].map((parameter) =>
      describe(declared.operationId, parameter, t),
    ),
    example: exampleOf(declared, baseUrl),
    response: schemaText(answer?.content?.["application/json"]?.schema),
  };
}

/** The types that answers refer to by name. */
export function describeTypes(document: OpenapiDocument): { name: string; text: string }[] {
  const schemas = Object.entries(document.components?.schemas ?? {});
  return schemas.map(([name, schema]) => ({ name, text: schemaText(schema) }));
}

function queryParameters(operation: oas31.OperationObject): RawParameter[] {
  return (operation.parameters ?? []).flatMap((parameter) =>
    "name" in parameter
      ? [
          {
            name: parameter.name,
            required: parameter.required === true,
            schema: parameter.schema as oas31.SchemaObject,
          },
        ]
      : [],
  );
}

function bodyParameters(operation: oas31.OperationObject): RawParameter[] {
  const body = operation.requestBody as oas31.RequestBodyObject | undefined;
  const schema = body?.content["application/json"]?.schema as oas31.SchemaObject | undefined;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    required: schema?.required?.includes(name) === true,
    schema: property as oas31.SchemaObject,
  }));
}

function describe(
  id: OperationId,
  { name, required, schema }: RawParameter,
  t: Translate,
): ParameterDescription {
  return {
    name,
    required,
    type: parameterText(schema, t),
    default: schema.default === undefined ? undefined : String(schema.default),
    description: parameterMeaning(id, name, t),
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
