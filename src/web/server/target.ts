import type { IncomingMessage } from "node:http";
import { withoutKey } from "../../words/safe-urls.ts";
import { addressToNfc } from "../../words/text/nfc.ts";
import { parameterName, parseQuery } from "../request/query-text.ts";
import { isRead } from "./methods.ts";

/** The parameters of a query string that a path knows. */
export interface KnownParameters {
  readonly names: ReadonlySet<string>;
  /** Prefixes of names that depend on the data, such as `a.` of `a.price`. */
  readonly prefixes: readonly string[];
}

/** The parts of a request's target that are not in `req.url`, which keeps the path and its known parameters. */
export interface Target {
  /** The API key that was sent; "" for an empty or repeated one, which equals no key. */
  readonly sentKey: string | undefined;
  /** Whether the address contained something like an API key, so that it must stay out of shared caches and Referer. */
  readonly hadKey: boolean;
}

/** A request whose target was parsed. */
export type TargetedRequest = IncomingMessage & { target: Target };

const KEY = "api_key";
const NO_PARAMETERS: KnownParameters = { names: new Set(), prefixes: [] };

/** The parameters of a schema, and those with a prefix. */
export function knownParameters(shape: object, prefixes: readonly string[] = []): KnownParameters {
  return { names: new Set(Object.keys(shape)), prefixes };
}

/**
 * Parses a request's target once, before any other code. Afterwards `req.url` is relative to the site, and for a GET it
 * contains only parameters that its path knows. So unknown parameters change no response, and the cache, the limits,
 * the endpoints and the pages all read the same address.
 *
 * A target may be a whole URL (RFC 9112, section 3.2.2); this server answers for any host in it.
 * @param parametersOf the parameters of a read, by its path; undefined for a path that takes none
 */
export function readTarget(
  req: IncomingMessage,
  parametersOf: (path: string) => KnownParameters | undefined,
): TargetedRequest {
  const read = req as TargetedRequest;
  const url = addressToNfc(relativeTarget(req.url ?? ""));
  const header = req.headers["x-api-key"]?.toString();
  const at = url.indexOf("?");
  if (at === -1) {
    read.url = url;
    read.target = { sentKey: header, hadKey: false };
    return read;
  }
  const path = url.slice(0, at);
  const parameters = isRead(req) ? (parametersOf(path) ?? NO_PARAMETERS) : undefined;
  const { key, hadKey, kept } = splitQuery(url.slice(at + 1), parameters);
  read.url = kept === "" ? path : `${path}?${kept}`;
  // If the header is present, even empty, the query's key is ignored. A page that a parameter leads to may have one,
  // too.
  read.target = { sentKey: header ?? key, hadKey: hadKey || withoutKey(read.url) !== read.url };
  return read;
}

function relativeTarget(target: string): string {
  if (target.startsWith("/") && !target.includes("#")) return target;
  const [, rest] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/is.exec(target) ?? [];
  const local = rest === undefined ? target : rest.startsWith("/") ? rest : `/${rest}`;
  // A request target has no fragment; Express would drop it later.
  const end = local.indexOf("#");
  return end === -1 ? local : local.slice(0, end);
}

interface Query {
  readonly key: string | undefined;
  readonly hadKey: boolean;
  /** The known parameters, as sent; all but keys if no parameters are given. */
  readonly kept: string;
}

function splitQuery(query: string, parameters: KnownParameters | undefined): Query {
  const kept: string[] = [];
  const keys: string[] = [];
  let hadKey = false;
  for (const text of query.split("&")) {
    const name = parameterName(text);
    // The API only reads `api_key`, but `API_KEY` contains the same secret.
    if (name.toLowerCase() === KEY) {
      hadKey = true;
      if (name === KEY) keys.push(text);
    } else if (text !== "" && (parameters === undefined || isKnown(name, parameters))) kept.push(text);
  }
  const [first] = keys;
  const key = keys.length > 1 ? "" : first && String(parseQuery(first)[KEY]);
  return { key, hadKey, kept: kept.join("&") };
}

function isKnown(name: string, { names, prefixes }: KnownParameters): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
