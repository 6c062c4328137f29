import type { oas31 } from "zod-openapi";
import { CSV } from "./endpoint.ts";

/** A call of an operation, and its answer. */
export interface ExampleCall {
  /** Values by the parameter's name, as text. */
  readonly input: Readonly<Record<string, string>>;
  /** The body, if it differs from the input. */
  readonly body?: unknown;
  readonly json?: unknown;
  readonly csv?: string;
}

/** Calls by the operation's id. */
export type ExampleCalls = Readonly<Record<string, ExampleCall>>;

const ANSWER = "An answer of the demo site, with long lists cut short.";

/** Adds the calls to their operations in the document, as examples. */
export function addExamples(document: { paths?: oas31.PathsObject }, calls: ExampleCalls): void {
  for (const { get, post, put, patch, delete: remove } of Object.values(document.paths ?? {})) {
    for (const operation of [get, post, put, patch, remove]) {
      const call = calls[operation?.operationId ?? ""];
      if (operation && call) addCall(operation, call);
    }
  }
}

function addCall(operation: oas31.OperationObject, call: ExampleCall): void {
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
