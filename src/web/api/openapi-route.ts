import { type RequestHandler, Router } from "express";
import type { oas31 } from "zod-openapi";
import { sendBody } from "../answers/send.ts";
import type { BaseContext } from "../pages/context.ts";
import { admitFew } from "../server/admission.ts";
import { mountReadOnly } from "../server/methods.ts";
import { CSV, type Endpoint } from "./endpoint.ts";
import type { OpenapiDocument } from "./openapi.ts";

/** A call of an operation, and its response. */
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

/** The OpenAPI document. */
export type ReadDocument = () => Promise<OpenapiDocument>;

/** Builds the document at the first request, because that takes as long as the rest of the start. */
export function documentOnce(
  endpoints: Endpoint[],
  calls: ExampleCalls,
  { config, sessions }: Pick<BaseContext, "config" | "sessions">,
): ReadDocument {
  const site = { name: config.siteName, baseUrl: config.baseUrl, cookieName: sessions.cookieName };
  let made: Promise<OpenapiDocument> | undefined;
  return () => {
    made ??= import("./openapi.ts").then(({ openapiDocument }) => {
      const document = openapiDocument(endpoints, site);
      addExamples(document, calls);
      return document;
    });
    return made;
  };
}

/** `GET /api/openapi.json`, open to all requests without a wrong key. It needs no database. */
export function openapiRoute(readDocument: ReadDocument): Router {
  let body: string | undefined;
  const answer: RequestHandler = async (req, res) => {
    body ??= JSON.stringify(await readDocument());
    return sendBody(req, res, {
      type: "application/json",
      body,
      cacheControl: "public, no-cache",
      isKeyed: req.caller.key !== undefined,
      vary: ["X-API-Key"],
      dependsOn: [],
    });
  };
  const router = Router();
  mountReadOnly(router, "/", admitFew()(answer));
  return router;
}

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
