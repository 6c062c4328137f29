import type { IncomingMessage } from "node:http";
import accepts from "accepts";
import type { Request, Response } from "express";
import type { Knex } from "knex";
import type { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { Translatable } from "../../words/i18n/lazy-text.ts";
import type { TEXTS, Translate } from "../../words/i18n/translate.ts";
import { type RecordKind, recordsName } from "../../words/kinds/kinds.ts";
import type { Dependencies } from "../answers/answer-scope.ts";
import type { Site } from "../look/site.ts";
import type { ProblemName } from "../pages/errors.ts";
import type { Access } from "../session/auth.ts";
import type { UndoForm } from "../session/session.ts";
import type { HeaderName } from "./openapi-headers.ts";

/** The path of an endpoint; `{id}` in it matches one segment of an address. */
interface Placed {
  readonly path: string;
}

/** The endpoints' names in the OpenAPI document; each has a text, and its parameters have theirs. */
export type OperationId = keyof typeof TEXTS.docs.endpoint;

/** An operation. `ofKind` is the kind if several kinds have it. */
interface Operation {
  readonly operationId: OperationId;
  readonly ofKind?: RecordKind;
}

/** The part of a handler's context that all requests share. */
export interface SharedContext {
  readonly db: Db;
  readonly baseUrl: string;
  /** Signs cursors, so that a client can send back only what it got. */
  readonly secret: string;
  readSite(): Promise<Site>;
}

interface EndpointContext extends SharedContext {
  /** The user of the session or key; always set if access is `login` or a scope. */
  readonly userId: number | undefined;
}

export interface ReadContext extends EndpointContext {
  /** The requested URL, from its path on. */
  readonly url: string;
  /** The raw query parameters, because attributes have parameters too (`a.price`). */
  readonly query: Record<string, unknown>;
  /** The snapshot of the database that a response is built from. `db` is for reads that must not hold a connection. */
  snapshot(): Promise<Db>;
}

export interface WriteContext extends EndpointContext {
  /** Runs a write in a transaction. It is committed only if the caller still has access at its end. */
  write<Result>(work: (transaction: Knex.Transaction) => Promise<Result>): Promise<Result>;
}

/** The context for the message after a form. */
interface FlashContext extends WriteContext {
  /** The language of the page that shows it; `own` is the language of the user's account, if set. */
  languageFor(own: string | null | undefined): Language;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The members of every endpoint. Routes, validation, the OpenAPI document and tests read them. */
interface Declared<Input extends z.ZodObject> {
  /** Parameters in braces, such as `{id}`, are read from the path. */
  path: `/api/${string}`;
  operationId: OperationId;
  /** The kind, if several kinds have this operation. */
  ofKind?: RecordKind;
  access: Access;
  /** How many calls it counts as in the limits (src/web/limits); 1 by default. */
  cost?: number;
  input: Input;
}

/**
 * How long a response may be cached: until one of its sources changes. With `client`, only clients cache it, and
 * revalidate it. With `never`, nobody does, because the next one differs.
 */
export type Caching = Dependencies | "client" | "never";

/** Reads and returns JSON. */
export interface ReadEndpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends Declared<Input> {
  type: "read";
  method: "GET";
  output: Output;
  handle(input: z.output<Input>, context: ReadContext): Promise<z.input<Output>>;
  /** A function if it depends on the response or the request. */
  cache: Caching | ((output: z.input<Output>, input: z.output<Input>) => Caching);
  /** Problems in addition to those of every read, such as `notFound`. */
  problems?: readonly ProblemName[];
  /** Whether it also takes filters by attributes: `a.price`, `min.price`, `max.price`. */
  hasFilters?: boolean;
  /** Renders the response as CSV for `Accept: text/csv`; with `only`, always. */
  csv?: { text(output: z.input<Output>, input: z.output<Input>): string; only?: true };
  /** The header that leads to the next page, if there is one. */
  link?(output: z.input<Output>): string | undefined;
}

/** A write that programs send as JSON, and pages as a plain HTML form, which redirects to a page with a message. */
export interface FormEndpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends Declared<Input> {
  type: "form";
  method: "POST";
  output: Output;
  handle(input: z.output<Input>, context: WriteContext): Promise<z.input<Output>>;
  /** The page that a form leads to if its own is unknown. */
  page(input: z.output<Input>): string;
  /** Parameters of the log-in page for a form whose session has ended. */
  afterLogIn(input: z.output<Input>): Record<string, string | undefined>;
  /** The message on that page, and a form that undoes the write. */
  flash(
    input: z.output<Input>,
    output: z.input<Output>,
    context: FlashContext,
  ): Promise<{ flash: Translatable; undo: UndoForm }>;
}

/** Sends its own response, with a status or a body that `handle` cannot have. Its parameters are in path and query. */
export interface OwnEndpoint<Input extends z.ZodObject = z.ZodObject> extends Declared<Input> {
  type: "own";
  method: Method;
  /** The request's body; left out if it takes none. */
  body?: OwnBody;
  /** Successful responses by status. */
  answers: Readonly<Record<number, OwnAnswer>>;
  /** Problems in addition to those of every endpoint. */
  problems: readonly ProblemName[];
  /** Request headers that it reads, by name. */
  requestHeaders?: Readonly<Record<string, RequestHeader>>;
  /** A sample body and response for the documentation, made from the response to a read of a record. */
  example?(read: Readonly<Record<string, unknown>>): { readonly body?: unknown; readonly json?: unknown };
  /** Sends the response; `req.body` is a buffer. */
  send(
    input: z.output<Input>,
    exchange: { req: Request; res: Response },
    context: WriteContext,
  ): Promise<void>;
}

/** A request body that is more than parameters. */
export interface OwnBody {
  /** The accepted media types. */
  readonly types: readonly string[];
  readonly bytesAtMost: number;
  /** For the OpenAPI document only; the endpoint validates the body itself. */
  readonly schema: z.ZodType;
}

/** Descriptions of successful responses in the OpenAPI document. */
export const SUCCESS = "Success.";
export const NOT_MODIFIED = "Not changed since the answer that If-None-Match names.";

interface OwnAnswer {
  /** A sentence for the OpenAPI document, in English. */
  readonly meaning: string;
  readonly headers?: readonly HeaderName[];
  /** The schema of JSON, or the media type of a file. */
  readonly body?: z.ZodType | string;
}

export interface RequestHeader {
  /** A sentence in English. */
  readonly meaning: string;
  /** Matches the header's valid values. */
  readonly pattern: RegExp;
}

export type Endpoint = ReadEndpoint | FormEndpoint | OwnEndpoint;

/** Ties the type of `handle` to its schemas, as do the next two functions. */
export function readEndpoint<Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Omit<ReadEndpoint<Input, Output>, "type" | "method">,
): ReadEndpoint {
  return { ...declared, type: "read", method: "GET" } as unknown as ReadEndpoint;
}

export function formEndpoint<Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Omit<FormEndpoint<Input, Output>, "type" | "method">,
): FormEndpoint {
  return { ...declared, type: "form", method: "POST" } as unknown as FormEndpoint;
}

export function ownEndpoint<Input extends z.ZodObject>(
  declared: Omit<OwnEndpoint<Input>, "type">,
): OwnEndpoint {
  return { ...declared, type: "own" } as unknown as OwnEndpoint;
}

export const CSV = "text/csv";
const JSON_FORM = "application/json";

/** The media type of the response to a read: the only one, or the one that `Accept` prefers (RFC 9110, section 12.5.1). */
export function representationFor({ csv }: Pick<ReadEndpoint, "csv">, req: IncomingMessage): string {
  if (csv === undefined) return JSON_FORM;
  return csv.only || accepts(req).type([JSON_FORM, CSV]) === CSV ? CSV : JSON_FORM;
}

/** The parameters of a path: `id` of `/api/items/{id}`. */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The path in Express's syntax: `/api/items/:id`. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Paths without reads, which pages of other sites cannot request. */
export function closedPaths(endpoints: readonly (Placed & { readonly method: string })[]): string[] {
  const read = new Set(endpoints.filter(({ method }) => method === "GET").map(({ path }) => path));
  return endpoints.map(({ path }) => path).filter((path) => !read.has(path));
}

/**
 * Looks up a value of an endpoint by a request's path; undefined for a path without one. Paths without parameters come
 * first, otherwise the first match wins.
 */
export function lookUpByPath<Endpoint extends Placed, Value>(
  endpoints: readonly Endpoint[],
  read: (endpoint: Endpoint) => Value,
): (path: string) => Value | undefined {
  const isFixed = ({ path }: Placed) => namesInPath(path).length === 0;
  const fixed = new Map(
    endpoints
      .filter(isFixed)
      .toReversed()
      .map((endpoint) => [endpoint.path, read(endpoint)]),
  );
  const open = Map.groupBy(
    endpoints
      .filter((placed) => !isFixed(placed))
      .map((endpoint) => ({ parts: endpoint.path.split("/"), value: read(endpoint) })),
    ({ parts }) => shapeOf(parts),
  );
  return (asked) => {
    const path = asked.length > 1 && asked.endsWith("/") ? asked.slice(0, -1) : asked;
    const known = fixed.get(path);
    if (known !== undefined) return known;
    const parts = path.split("/");
    return open.get(shapeOf(parts))?.find((placed) => fits(placed.parts, parts))?.value;
  };
}

/** The common part of paths that may match the same pattern, because no pattern begins with a parameter. */
function shapeOf({ 1: first, length }: readonly string[]): string {
  return `${length} ${first}`;
}

function fits(parts: readonly string[], asked: readonly string[]): boolean {
  const isSame = (part: string, place: number) =>
    part.startsWith("{") ? asked[place] !== "" : part === asked[place];
  return parts.length === asked.length && parts.every(isSame);
}

/** The name of an operation in the OpenAPI document: `getRecordOfItems` if several kinds have it. */
export function operationName({ operationId, ofKind }: Operation): string {
  if (ofKind === undefined) return operationId;
  const words = ofKind.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${operationId}Of${words.join("")}`;
}

/** The purpose of an operation, in one sentence. */
export function operationSummary({ operationId, ofKind }: Operation, t: Translate): string {
  return t(`docs.endpoint.${operationId}`, { kind: ofKind ? recordsName(ofKind, t) : "" });
}
