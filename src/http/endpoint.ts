import type { IncomingMessage } from "node:http";
import accepts from "accepts";
import type { Request, Response } from "express";
import type { Knex } from "knex";
import type { z } from "zod";
import type { Db } from "../db/connect.ts";
import type { Language } from "../i18n/languages.ts";
import type { Sayable } from "../i18n/said.ts";
import type { Source } from "./answer-build.ts";
import type { Access } from "./auth.ts";
import type { ProblemName } from "./errors.ts";
import type { HeaderName } from "./openapi-headers.ts";
import type { OperationId, OperationKind } from "./operation-names.ts";
import type { Site } from "./page.ts";
import type { UndoForm } from "./session.ts";

/** What a handler gets with its validated input; features add to it (`search`). */
export interface EndpointContext {
  db: Db;
  baseUrl: string;
  /** The user of the session or key; always set where access is `login` or a scope. */
  userId: number | undefined;
  /** The client's. */
  address: string;
  /** What the site knows of itself; only where `readsSite` is set. */
  site: Site | undefined;
  /** The address as it was asked for, from its path on. */
  url: string;
  /** The query string as it was sent, for parameters that the data names (`a.price`). */
  query: Record<string, unknown>;
  /**
   * Runs a write in a transaction, which is only committed if its caller has the access at its end too. Writes use this
   * instead of `db`.
   */
  write<Result>(work: (transaction: Knex.Transaction) => Promise<Result>): Promise<Result>;
  /** The state of the database that the answer is made from; `db` is it already, unless `opensSnapshot` is set. */
  snapshot(): Promise<Db>;
}

/** What the message about a write also needs. */
export interface FlashContext extends EndpointContext {
  /** The language of the page that shows it; `own` is the language of the user's account, if set. */
  languageFor(own: string | null | undefined): Language;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type SharedContext = Omit<
  EndpointContext,
  "userId" | "address" | "site" | "url" | "query" | "snapshot" | "write"
>;

/** What the body of a request is, where it is more than parameters. */
export interface EndpointBody {
  /** Media types that it may have. */
  readonly types: readonly string[];
  readonly bytesAtMost: number;
  /** For the document; the endpoint checks by itself. */
  readonly schema: z.ZodType;
}

/** A success that an endpoint which answers by itself may have. */
export interface EndpointAnswer {
  /** In English, for the document. */
  readonly meaning: string;
  readonly headers?: readonly HeaderName[];
  readonly hasBody: boolean;
}

/** A header that an endpoint reads beside its parameters. */
export interface RequestHeader {
  /** In English. */
  readonly meaning: string;
  /** Of the values that it may have. */
  readonly pattern: RegExp;
}

/** How an endpoint answers by itself: with a status of its own, or a body that is more than parameters. */
export interface OwnAnswers<Input extends z.ZodObject = z.ZodObject> {
  /** Missing: it takes none. */
  readonly body?: EndpointBody;
  /** By status. */
  readonly answers: Readonly<Record<number, EndpointAnswer>>;
  /** Problems besides those that every endpoint has. */
  readonly problems: readonly ProblemName[];
  /** Request headers that it reads, by name. */
  readonly requestHeaders: Readonly<Record<string, RequestHeader>>;
  /** A body and an answer for the document, made of what a read of a record answered. */
  example(read: Readonly<Record<string, unknown>>): { readonly body?: unknown; readonly json?: unknown };
  /** `req.body` is the body as bytes. */
  send(
    input: z.output<Input>,
    exchange: { req: Request; res: Response },
    context: EndpointContext,
  ): Promise<void>;
}

/** One JSON endpoint, read by validation, documentation (openapi.ts) and tests. */
export interface Endpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  method: Method;
  /** Parameters of the input that stand in it, such as `{id}`, are read from there. */
  path: `/api/${string}`;
  operationId: OperationId;
  /** Which of the kinds that have the operation this one is for. */
  ofKind?: OperationKind;
  access: Access;
  input: Input;
  output: Output;
  handle(input: z.output<Input>, context: EndpointContext): Promise<z.input<Output>>;
  /** It answers by itself, instead of by `handle`; its parameters are in its path and query string only. */
  own?: OwnAnswers<Input>;
  /** Sends what `handle` found as a file instead of as JSON; such answers are not remembered. */
  file?: AnswerFile<z.input<Output>>;
  /** How many calls it counts as in the limits, where that is more than one (src/limits). */
  cost?: number;
  /** That it will be gone: told in the document and by headers of every answer. */
  deprecated?: Deprecation;
  /** A parameter names a record that may not exist: 404. Writes always do. */
  namesRecord?: true;
  /** What is asked for may be gone, such as a record that was removed: 410. */
  knowsRemoved?: true;
  /** The handler needs `site`. */
  readsSite?: true;
  /** The handler calls `snapshot` itself, once it has what it must wait for without holding a connection. */
  opensSnapshot?: true;
  /** It also takes filters by attributes, which the data names: `a.price`, `min.price`, `max.price`. */
  hasFilters?: true;
  /** Its answer as CSV, for `Accept: text/csv`; `only`: always. */
  csv?: { text(output: z.input<Output>, input: z.output<Input>): string; only?: true };
  /** Headers of its answer. */
  headers?(output: z.input<Output>): Record<string, string>;
  /** What its answers are made from (see `AnswerBuild`); left out: they are never remembered. */
  changesWith?: readonly Source[];
  /** See `MadeAnswer`. */
  showsTime?: true;
  /** What an answer is made from besides, where that depends on what it holds. */
  alsoOf?(
    output: z.input<Output>,
    input: z.output<Input>,
  ): { changesWith: readonly Source[]; showsTime: boolean };
  /** True for an answer that must not be cached, such as a random one. */
  uncacheable?(input: z.output<Input>, output: z.input<Output>): boolean;
  /** Where to redirect a plain HTML form whose page is unknown. */
  page?(input: z.output<Input>): string;
  /** Parameters of the log-in page for a plain HTML form whose session has ended. */
  afterLogIn?(input: z.output<Input>): Record<string, string | undefined>;
  /** The message on that page after a write. */
  flash?(input: z.output<Input>, output: z.input<Output>, context: FlashContext): Promise<FlashWithUndo>;
}

/** An answer that streams, and of which parts may be asked for. */
interface AnswerFile<Found> {
  /** Its media type. */
  readonly type: string;
  send(found: Found, exchange: { req: Request; res: Response }, context: EndpointContext): Promise<void>;
}

/** The announcement that an endpoint will be gone (RFC 9745, RFC 8594). */
export interface Deprecation {
  since: Date;
  /** At least six months later, see the policy on /docs/api. */
  sunset: Date;
}

/** A message for the next page, and a form that undoes what was done. */
interface FlashWithUndo {
  flash: Sayable;
  undo: UndoForm;
}

/** Ties the type of `handle` to its schemas, and keeps a list of endpoints simple. */
export function endpoint<Input extends z.ZodObject, Output extends z.ZodType>(
  declaration: Endpoint<Input, Output>,
): Endpoint {
  return declaration as unknown as Endpoint;
}

export const CSV = "text/csv";
const JSON_FORM = "application/json";

/** The media type in which an endpoint answers a read: its only one, else what `Accept` prefers (RFC 9110, section 12.5.1). */
export function representationFor({ csv }: Pick<Endpoint, "csv">, req: IncomingMessage): string {
  if (csv === undefined) return JSON_FORM;
  return csv.only || accepts(req).type([JSON_FORM, CSV]) === CSV ? CSV : JSON_FORM;
}
