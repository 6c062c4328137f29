import type { Db } from "../db/connect.ts";
import type { Endpoint, EndpointContext, OwnAnswers, SharedContext } from "../http/endpoint.ts";
import { namesInPath } from "../http/endpoint-paths.ts";
import { HttpError } from "../http/errors.ts";
import type { ExampleCall, ExampleCalls } from "../http/openapi-examples.ts";
import { operationName } from "../http/operation-names.ts";
import type { Site } from "../http/page.ts";
import { isScope } from "../scopes.ts";
import { type ExampleRecords, exampleAddress, exampleInput } from "./example-values.ts";

/** What the calls are made with. */
export interface ExampleSite {
  readonly endpoints: Endpoint[];
  /** What all endpoints get, but for the database. */
  readonly shared: Omit<SharedContext, "db">;
  readSite(): Promise<Site>;
  /** Adds a user with what such a user may have, for calls that need one; returns its id. */
  addUser(db: Db, records: ExampleRecords): Promise<number>;
}

/** Elements of a list in an example. */
const LIST_LENGTH = 2;
/** Characters of a text in an example. */
const TEXT_LENGTH = 400;

/**
 * Asks each endpoint for an example. All of it is undone, what a write wrote included, by rolling its savepoint back. An
 * endpoint that this site has no record for is left out.
 * @param transaction one of its own
 */
export async function makeExampleCalls(
  transaction: Db,
  records: ExampleRecords,
  example: ExampleSite,
): Promise<ExampleCalls> {
  const calls: Record<string, ExampleCall> = {};
  const site = await example.readSite();
  for (const declared of example.endpoints.filter(({ file, own }) => !file && !own)) {
    const call = await undone(transaction, (db) => makeCall(db, declared, { records, example, site }));
    if (call) calls[operationName(declared)] = call;
  }
  for (const declared of example.endpoints) {
    const call = declared.own && callOfWrite(declared, declared.own, calls, records);
    if (call) calls[operationName(declared)] = call;
  }
  return calls;
}

/** A write that changes nothing: of the record that the example of reading it has. */
function callOfWrite(
  declared: Endpoint,
  own: OwnAnswers,
  calls: ExampleCalls,
  records: ExampleRecords,
): ExampleCall | undefined {
  const { ofKind } = declared;
  const read = ofKind && calls[operationName({ operationId: "getRecord", ofKind })]?.json;
  const hasRead = typeof read === "object" && read !== null;
  if (!hasRead && ofKind?.kind !== "relations") return undefined;
  const { body, json } = own.example((hasRead ? read : {}) as Record<string, unknown>);
  return { input: sent(declared, exampleInput(declared, records)), body, json };
}

/** Thrown to roll back. */
class Undo<Value> extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super("this is to be undone");
    this.value = value;
  }
}

/** What work finds, without what it does. */
async function undone<Value>(db: Db, work: (db: Db) => Promise<Value>): Promise<Value> {
  const doing = db.transaction(async (savepoint) => {
    throw new Undo(await work(savepoint));
  });
  return doing.catch((error: unknown) => {
    if (error instanceof Undo) return error.value;
    throw error;
  });
}

async function makeCall(
  db: Db,
  declared: Endpoint,
  { records, example, site }: { records: ExampleRecords; example: ExampleSite; site: Site },
): Promise<ExampleCall | undefined> {
  const { shared } = example;
  const input = exampleInput(declared, records, { limit: String(LIST_LENGTH) });
  const url = exampleAddress(declared, input, shared.baseUrl);
  const { pathname, search, searchParams } = new URL(url);
  const context: EndpointContext = {
    ...shared,
    db,
    userId: needsUser(declared) ? await example.addUser(db, records) : undefined,
    address: "",
    site,
    url: pathname + search,
    query: Object.fromEntries(searchParams),
    snapshot: async () => db,
    write: (work) => db.transaction(work),
  };
  const given = declared.input.parse(input);
  const output = await declared.handle(given, context).catch((error: unknown) => {
    // Nothing of that kind, or not yet.
    if (error instanceof HttpError && [404, 410, 503].includes(error.problem.status)) return undefined;
    throw error;
  });
  if (output === undefined) return undefined;
  const json = shortened(JSON.parse(JSON.stringify(output)));
  // What was cut may be needed whole.
  if (!declared.output.safeParse(json).success) return undefined;
  return {
    input: sent(declared, input),
    ...(!declared.csv?.only && { json }),
    ...(declared.csv && { csv: declared.csv.text(output, given) }),
  };
}

function needsUser({ access }: Endpoint): boolean {
  return access === "login" || isScope(access);
}

/** The parameters of an example, those in its path included. */
function sent(declared: Endpoint, input: Record<string, string>): Record<string, string> {
  const names = [...namesInPath(declared.path), ...Object.keys(declared.input.shape)];
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.slice(0, LIST_LENGTH).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}

/** Addresses stay whole. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length <= TEXT_LENGTH || !/\s/.test(text)
    ? text
    : `${characters.slice(0, TEXT_LENGTH - 1).join("")}…`;
}
