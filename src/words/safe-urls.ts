import querystring from "node:querystring";

/**
 * A path that is safe to redirect to, from a client's text; undefined when it leads to another site, as a browser reads
 * it: `//evil`, `/\evil`, `https:evil`.
 */
export function safeReturnPath(text: unknown): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/")) return undefined;
  const here = "http://here.invalid";
  const url = URL.parse(text, here);
  if (!url || url.origin !== here || url.username) return undefined;
  const path = withoutKey(url.pathname + url.search) + url.hash;
  return path.startsWith("//") ? undefined : path;
}

/** What every address with a key has: the word, or an escape of one of its letters or of another escape's `%`. */
const MAY_HAVE_KEY = /key|%(?:25|[46](?:5|b)|[57]9)/i;

/** An address without API keys, also within parameters (`next`): people copy addresses without noticing a key. */
export function withoutKey(address: string): string {
  const at = address.indexOf("?");
  // Every request passes here, and hardly one has a key.
  if (at === -1 || !MAY_HAVE_KEY.test(address)) return address;
  const parts = address.slice(at + 1).split("&");
  const kept = parts.filter((part) => !isKey(part)).map(withoutInnerKey);
  return kept.length === 0 ? address.slice(0, at) : `${address.slice(0, at)}?${kept.join("&")}`;
}

/** The API reads only `api_key`, but `API_KEY` holds the same secret. */
function isKey(parameter: string): boolean {
  return decodeQuery(parameter.split("=", 1)[0] ?? "").toLowerCase() === "api_key";
}

function withoutInnerKey(parameter: string): string {
  const [name = "", ...rest] = parameter.split("=");
  const value = decodeQuery(rest.join("="));
  const bare = withoutKey(value);
  return bare === value ? parameter : `${name}=${encodeURIComponent(bare)}`;
}

/** Decodes like the app's query parser, which accepts invalid text. */
function decodeQuery(text: string): string {
  return querystring.unescape(text.replaceAll("+", " "));
}

/** True if the host of an address is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
}
