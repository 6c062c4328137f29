import type { oas31 } from "zod-openapi";
import {
  type Endpoint,
  type Method,
  type OperationId,
  operationName,
  operationSummary,
} from "../../web/api/endpoint.ts";
import type { OpenapiDocument } from "../../web/api/openapi.ts";
import { parameterMeaning, scopeMeaning } from "../../web/api/openapi-operation.ts";
import type { ExampleCall, ExampleCalls } from "../../web/api/openapi-route.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { isScope } from "../../words/scopes.ts";
import { codeSamples, type SampleCall } from "./code-samples.ts";
import { type ExampleRecords, exampleAddress, exampleInput } from "./examples.ts";

/** Characters of a line that a page has room for. */
const LINE = 80;

type Schema = oas31.SchemaObject | oas31.ReferenceObject | boolean;

/** The sources of descriptions. */
interface DescribedEndpointSite {
  readonly document: OpenapiDocument;
  readonly baseUrl: string;
  readonly records: ExampleRecords;
  readonly calls: ExampleCalls;
}

/** A parameter as the OpenAPI document has it. */
interface RawParameter {
  name: string;
  required: boolean;
  schema: oas31.SchemaObject;
}

/** The description of an endpoint for a page: from the OpenAPI document if it has it, else from the declaration. */
export function describeEndpoint(
  declared: Endpoint,
  { document, baseUrl, records, calls }: DescribedEndpointSite,
  t: Translate,
) {
  const sample = sampleOf(declared, records, baseUrl);
  const operation =
    document.paths?.[declared.path]?.[declared.method.toLowerCase() as Lowercase<Method>] ?? {};
  const answer = operation.responses?.["200"] as oas31.ResponseObject | undefined;
  return {
    /** Anchor on the page, and the operation's id in the OpenAPI document. */
    id: operationName(declared),
    method: declared.method,
    path: declared.path,
    summary: operationSummary(declared, t),
    access: isScope(declared.access) ? scopeMeaning(declared.access, t) : t(`docs.access.${declared.access}`),
    parameters: rawParameters(declared, operation).map((parameter) =>
      describe(declared.operationId, parameter, t),
    ),
    samples: codeSamples(sample),
    trial: trialOf(sample, baseUrl),
    answer: shownAnswer(declared, calls[operationName(declared)]),
    answerType: answerType(answer),
  };
}

/** The types that answers refer to by name. */
export function describeTypes(document: OpenapiDocument): { name: string; text: string }[] {
  const schemas = Object.entries(document.components?.schemas ?? {});
  return schemas.map(([name, schema]) => ({ name, text: schemaText(schema) }));
}

/** Parameters of a write can be in the query string, too, and are listed once. */
function rawParameters(declared: Endpoint, operation: oas31.OperationObject): RawParameter[] {
  return operation.requestBody && declared.type === "form"
    ? bodyParameters(declared, operation)
    : queryParameters(operation);
}

function queryParameters(operation: oas31.OperationObject): RawParameter[] {
  return (operation.parameters ?? []).flatMap((parameter) =>
    "name" in parameter && parameter.in !== "header"
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

function bodyParameters(declared: Endpoint, operation: oas31.OperationObject): RawParameter[] {
  const body = operation.requestBody as oas31.RequestBodyObject | undefined;
  const schema = body?.content["application/json"]?.schema as oas31.SchemaObject | undefined;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    required: !declared.input.shape[name]?.safeParse(undefined).success,
    schema: property as oas31.SchemaObject,
  }));
}

function describe(id: OperationId, { name, required, schema }: RawParameter, t: Translate) {
  return {
    name,
    required,
    type: parameterText(schema, t),
    default: schema.default === undefined ? undefined : String(schema.default),
    description: parameterMeaning(id, name, t),
  };
}

/** A call that readers can change and send from the page; none with a session, or where a file is the answer. */
function trialOf(sample: SampleCall, baseUrl: string) {
  const { credential, answer, url, body, bodyType = "application/json" } = sample;
  if (credential === "session" || answer === "file") return undefined;
  return {
    address: url.slice(baseUrl.length),
    needsKey: credential === "key",
    body: body === undefined ? undefined : JSON.stringify(body, null, 2),
    bodyType,
  };
}

/** The example of an answer; undefined where it is a file, or of a kind of the operator's own. */
function shownAnswer(declared: Endpoint, call: ExampleCall | undefined) {
  const text = call?.json === undefined ? call?.csv : JSON.stringify(call.json, null, 2);
  if (!call || text === undefined) return undefined;
  return { call: `${declared.method} ${exampleAddress(declared, call.input, "")}`, text };
}

/** The type of the response's body: that of its JSON or text, or the media type of a file. */
function answerType(answer: oas31.ResponseObject | undefined): string {
  const [[type, { schema }] = ["", {}]] = Object.entries(answer?.content ?? {});
  return schema || type === "" ? schemaText(schema) : type;
}

function answerOf(declared: Endpoint): SampleCall["answer"] {
  if (declared.type === "read") return declared.csv?.only ? "file" : "json";
  const bodies =
    declared.type === "own"
      ? Object.values(declared.answers).flatMap(({ body }) => body ?? [])
      : [declared.output];
  if (bodies.length === 0) return "nothing";
  return bodies.some((body) => typeof body === "string") ? "file" : "json";
}

/** A short record for an example; the document has a whole one. */
function bodyOf({ ofKind }: Endpoint, { id = "1" }: Record<string, string>): Record<string, unknown> {
  if (ofKind === "discounts")
    return { id, item_key: "vip-gold", title: "Golden days", percent: 25, starts_at: "2026-12-01T00:00:00Z" };
  const price = ofKind === "donate-items" ? { price: "4.99", currency: "EUR" } : {};
  return { id, name: "A new name", ...price };
}

function sampleBody(
  declared: Endpoint,
  input: Record<string, string>,
): Pick<SampleCall, "body" | "bodyType"> {
  if (declared.type !== "own") return { body: declared.type === "form" ? input : undefined };
  const { body } = declared.example?.(bodyOf(declared, input)) ?? {};
  return { body, bodyType: declared.body?.types[0] };
}

function sampleOf(declared: Endpoint, records: ExampleRecords, baseUrl: string): SampleCall {
  const input = exampleInput(declared, records);
  const { access } = declared;
  const credential = access === "login" ? "session" : access === "none" ? "none" : "key";
  return {
    method: declared.method,
    url: exampleAddress(declared, input, baseUrl),
    credential,
    ...sampleBody(declared, input),
    answer: answerOf(declared),
  };
}

/** A JSON schema as a reader of an API likes it: in the notation of TypeScript, with remarks. */
export function schemaText(schema: Schema | undefined, indent = ""): string {
  if (schema === undefined || typeof schema === "boolean") return "unknown";
  if ("$ref" in schema && schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  const plain = schema as oas31.SchemaObject;
  const options = plain.anyOf ?? plain.oneOf;
  if (options) return options.map((option) => schemaText(option, indent)).join(" | ");
  if (plain.enum) return plain.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (plain.const !== undefined) return JSON.stringify(plain.const);
  if (Array.isArray(plain.type)) return plain.type.join(" | ");
  if (plain.type === "array") return arrayText(plain, indent);
  if (plain.type === "object") return objectText(plain, indent);
  return plain.type ?? "unknown";
}

/** Type, bounds and format of one parameter: `whole number, 1 to 50`. */
export function parameterText(schema: oas31.SchemaObject, t: Translate): string {
  const { minimum, maximum, minLength, maxLength } = schema;
  if (schema.enum) return schema.enum.join(", ");
  if (schema.type === "integer") {
    if (minimum === undefined || maximum === undefined) return t("docs.type.whole");
    return t("docs.type.whole_range", { least: minimum, most: maximum });
  }
  if (maxLength === undefined) return t("docs.type.text");
  const most = { count: maxLength, figure: maxLength };
  if (minLength === undefined) return t("docs.type.text_most", most);
  return t("docs.type.text_range", { ...most, least: minLength });
}

function arrayText(schema: oas31.SchemaObject, indent: string): string {
  const item = schemaText(schema.items, indent);
  return /[ |]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: oas31.SchemaObject, indent: string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `{ [name: string]: ${schemaText(schema.additionalProperties)} }`;
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    return withRemark(`${inner}${name}${mark}: ${schemaText(property, inner)}`, remarkOf(property), inner);
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function remarkOf(property: Schema): string {
  const { description, format } = typeof property === "boolean" ? {} : (property as oas31.SchemaObject);
  return [format, description].filter((word) => word !== undefined).join("; ");
}

/** At the end of the line, or above it where that would be long. */
function withRemark(line: string, remark: string, indent: string): string {
  if (remark === "") return line;
  const whole = `${line}  // ${remark}`;
  return whole.length <= LINE && !line.includes("\n") ? whole : `${indent}// ${remark}\n${line}`;
}
