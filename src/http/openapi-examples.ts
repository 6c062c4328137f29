import type { oas31 } from "zod-openapi";
import { CSV } from "./endpoint.ts";

/** A call of an operation, and what the site answered. */
export interface ExampleCall {
  /** By the parameter's name, as text. */
  readonly input: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly csv?: string;
}

/** Calls by the operation's id; one that this site has no record for is missing. */
export type ExampleCalls = Readonly<Record<string, ExampleCall>>;

const ANSWER = "What this site answered, with long lists and texts cut short.";

/** A copy of the document in which operations have the calls as examples. */
export function withExamples<Document extends { paths?: oas31.PathsObject }>(
  document: Document,
  calls: ExampleCalls,
): Document {
  const copy = structuredClone(document);
  for (const { get, post } of Object.values(copy.paths ?? {})) {
    for (const operation of [get, post]) {
      const call = calls[operation?.operationId ?? ""];
      if (operation && call) addExamples(operation, call);
    }
  }
  return copy;
}

function addExamples(operation: oas31.OperationObject, { input, json, csv }: ExampleCall): void {
  const body = operation.requestBody as oas31.RequestBodyObject | undefined;
  for (const parameter of body ? [] : (operation.parameters ?? [])) {
    if (!("name" in parameter)) continue;
    const value = input[parameter.name];
    if (value !== undefined) parameter.example = isNumber(parameter.schema) ? Number(value) : value;
  }
  for (const media of Object.values(body?.content ?? {})) media.example = input;
  const answer = operation.responses?.["200"] as oas31.ResponseObject | undefined;
  for (const [type, value] of [["application/json", json] as const, [CSV, csv] as const]) {
    const media = answer?.content?.[type];
    if (media && value !== undefined) media.examples = { answer: { summary: ANSWER, value } };
  }
}

function isNumber(schema: object | undefined): boolean {
  const { type, anyOf = [] } = (schema ?? {}) as oas31.SchemaObject;
  return type === "integer" || anyOf.some((each) => isNumber(each));
}
