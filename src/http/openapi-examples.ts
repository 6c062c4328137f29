import type { oas31 } from "zod-openapi";
import { CSV } from "./endpoint.ts";

/** A call of an operation, and what the site answered. */
export interface ExampleCall {
  /** By the parameter's name, as text. */
  readonly input: Readonly<Record<string, string>>;
  /** What it sends, where that is not the input. */
  readonly body?: unknown;
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
  for (const { get, post, put, patch, delete: remove } of Object.values(copy.paths ?? {})) {
    for (const operation of [get, post, put, patch, remove]) {
      const call = calls[operation?.operationId ?? ""];
      if (operation && call) addExamples(operation, call);
    }
  }
  return copy;
}

function addExamples(operation: oas31.OperationObject, call: ExampleCall): void {
  const { input, json, csv } = call;
  const body = operation.requestBody as oas31.RequestBodyObject | undefined;
  const isInput = body?.required !== true;
  for (const parameter of body && isInput ? [] : (operation.parameters ?? [])) {
    if (!("name" in parameter)) continue;
    const value = input[parameter.name];
    if (value !== undefined) parameter.example = isNumber(parameter.schema) ? Number(value) : value;
  }
  for (const [type, media] of Object.entries(body?.content ?? {})) {
    if (isInput || /[/+]json$/.test(type)) media.example = isInput ? input : call.body;
  }
  for (const status of ["200", "201"]) addAnswer(operation.responses?.[status], { json, csv });
}

function addAnswer(response: unknown, { json, csv }: Pick<ExampleCall, "json" | "csv">): void {
  const answer = response as oas31.ResponseObject | undefined;
  for (const [type, value] of [["application/json", json] as const, [CSV, csv] as const]) {
    const media = answer?.content?.[type];
    if (media && value !== undefined) media.examples = { answer: { summary: ANSWER, value } };
  }
}

function isNumber(schema: object | undefined): boolean {
  const { type, anyOf = [] } = (schema ?? {}) as oas31.SchemaObject;
  return type === "integer" || anyOf.some((each) => isNumber(each));
}
