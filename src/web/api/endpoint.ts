import type { IncomingMessage } from "node:http";
import accepts from "accepts";
import type { Request, Response } from "express";
import type { Knex } from "knex";
import type { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { Translatable } from "../../words/i18n/lazy-text.ts";
import type { Source } from "../answers/answer-scope.ts";
import type { Site } from "../http/site.ts";
import type { ProblemName } from "../pages/errors.ts";
import type { Access } from "../session/auth.ts";
import type { UndoForm } from "../session/session.ts";
import type { HeaderName } from "./openapi-headers.ts";
import type { OperationId, OperationKind } from "./operation-names.ts";

/** A handler's context with its validated input. */
export interface EndpointContext {
  db: Db;
  baseUrl: string;
  /** Signs cursors, so that a client can send back only what it got. */
  secret: string;
  /** The user of the session or key; always set where access is `login` or a scope. */
  userId: number | undefined;
  /** The site's settings and texts; only where `readsSite` is set. */
  site: Site | undefined;
  /** The requested URL, from its path on. */
  url: string;
  /** The raw query parameters, for those that the data names (`a.price`). */
  query: Record<string, unknown>;
  /**
   * Runs a write in a transaction. It is committed only if the caller still has access at its end. Writes use this instead
   * of `db`.
   */
  write<Result>(work: (transaction: Knex.Transaction) => Promise<Result>): Promise<Result>;
  /** The snapshot that the response is built from; `db` is that snapshot, unless `opensSnapshot` is set. */
  snapshot(): Promise<Db>;
}

/** The context for the message after a write. */
export interface FlashContext extends EndpointContext {
  /** The language of the page that shows it; `own` is the language of the user's account, if set. */
  languageFor(own: string | null | undefined): Language;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The context that all requests share. */
export type SharedContext = Pick<EndpointContext, "db" | "baseUrl" | "secret">;

/** A request body that is more than parameters. */
interface EndpointBody {
  /** The accepted media types. */
  readonly types: readonly string[];
  readonly bytesAtMost: number;
  /** For the OpenAPI document only; the endpoint validates the body itself. */
  readonly schema: z.ZodType;
}

/** A successful response of an endpoint that sends its own. */
interface EndpointAnswer {
  /** A sentence for the OpenAPI document, in English. */
  readonly meaning: string;
  readonly headers?: readonly HeaderName[];
  readonly hasBody: boolean;
}

/** A request header that an endpoint reads. */
export interface RequestHeader {
  /** A sentence in English. */
  readonly meaning: string;
  /** Matches the header's valid values. */
  readonly pattern: RegExp;
}

/** The responses of an endpoint that sends its own, with a status or a request body that `handle` cannot have. */
export interface OwnAnswers<Input extends z.ZodObject = z.ZodObject> {
  /** Left out if the endpoint takes no body. */
  readonly body?: EndpointBody;
  /** Successful responses by status. */
  readonly answers: Readonly<Record<number, EndpointAnswer>>;
  /** Problems in addition to those of every endpoint. */
  readonly problems: readonly ProblemName[];
  /** Request headers that it reads, by name. */
  readonly requestHeaders: Readonly<Record<string, RequestHeader>>;
  /** A sample body and response for the OpenAPI document, made from the response to a read of a record. */
  example(read: Readonly<Record<string, unknown>>): { readonly body?: unknown; readonly json?: unknown };
  /** Sends the response; `req.body` is a buffer. */
  send(
    input: z.output<Input>,
    exchange: { req: Request; res: Response },
    context: EndpointContext,
  ): Promise<void>;
}

/** One JSON endpoint, read by validation, documentation (openapi.ts) and tests. */
export interface Endpoint<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  method: Method;
  /** Parameters in braces, such as `{id}`, are read from the path. */
  path: `/api/${string}`;
  operationId: OperationId;
  /** The kind, if several kinds have this operation. */
  ofKind?: OperationKind;
  access: Access;
  input: Input;
  output: Output;
  handle(input: z.output<Input>, context: EndpointContext): Promise<z.input<Output>>;
  /** Replaces `handle`. The parameters are in the path and query string only. */
  own?: OwnAnswers<Input>;
  /** Sends the result of `handle` as a file instead of as JSON; such responses are not cached. */
  file?: AnswerFile<z.input<Output>>;
  /** How many calls it counts as in the limits (src/web/limits); 1 by default. */
  cost?: number;
  /** Announces the removal in the OpenAPI document and in headers of every response. */
  deprecated?: Deprecation;
  /** A parameter names a record that may not exist: 404. Writes always do. */
  namesRecord?: true;
  /** The target may be gone, such as a removed record: 410. */
  knowsRemoved?: true;
  /** The handler needs `site`. */
  readsSite?: true;
  /** The handler calls `snapshot` itself, after a wait that must not hold a connection. */
  opensSnapshot?: true;
  /** It also takes filters by attributes, which the data names: `a.price`, `min.price`, `max.price`. */
  hasFilters?: true;
  /** Renders the response as CSV for `Accept: text/csv`; with `only`, always. */
  csv?: { text(output: z.input<Output>, input: z.output<Input>): string; only?: true };
  /** Headers of the response. */
  headers?(output: z.input<Output>): Record<string, string>;
  /** The sources of its responses (see `AnswerBuild`); without them responses are never cached. */
  changesWith?: readonly Source[];
  /** See `MadeAnswer`. */
  showsTime?: true;
  /** Further sources, if they depend on the response. */
  alsoOf?(
    output: z.input<Output>,
    input: z.output<Input>,
  ): { changesWith: readonly Source[]; showsTime: boolean };
  /** Whether a response must not be cached, such as a random one. */
  uncacheable?(input: z.output<Input>, output: z.input<Output>): boolean;
  /** The redirect of a plain HTML form whose page is unknown. */
  page?(input: z.output<Input>): string;
  /** Parameters of the log-in page for a plain HTML form whose session has ended. */
  afterLogIn?(input: z.output<Input>): Record<string, string | undefined>;
  /** The message on that page after a write. */
  flash?(input: z.output<Input>, output: z.input<Output>, context: FlashContext): Promise<FlashWithUndo>;
}

/** A streamed response. */
interface AnswerFile<Found> {
  /** Its media type. */
  readonly type: string;
  send(found: Found, exchange: { req: Request; res: Response }, context: EndpointContext): Promise<void>;
}

/** The announced removal of an endpoint (RFC 9745, RFC 8594). */
export interface Deprecation {
  since: Date;
  /** At least six months later, see the policy on /docs/api. */
  sunset: Date;
}

/** A message for the next page, and a form that undoes what was done. */
interface FlashWithUndo {
  flash: Translatable;
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

/** The media type of the response to a read: the only one, or the one that `Accept` prefers (RFC 9110, section 12.5.1). */
export function representationFor({ csv }: Pick<Endpoint, "csv">, req: IncomingMessage): string {
  if (csv === undefined) return JSON_FORM;
  return csv.only || accepts(req).type([JSON_FORM, CSV]) === CSV ? CSV : JSON_FORM;
}
