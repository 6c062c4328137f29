import type { oas31 } from "zod-openapi";

/** Response headers by the name that the document refers to them with. */
export const HEADERS = {
  ETag: header(
    "Strong, another one for each encoding. Send it back as If-None-Match and get 304 while nothing changed.",
    '"LTPXYlLHXVpAXB5Va2x1bl"',
  ),
  "Cache-Control": header(
    "`public, no-cache`: keep it, but ask whether it still holds; `private` where a key or session was needed; " +
      "`no-store` where it must not be kept.",
    "public, no-cache",
  ),
  Vary: header("Request headers that the answer depends on.", "Accept-Encoding, X-API-Key"),
  "X-Request-Id": header("Names the request in the site's log.", "a4f0004a-ebf1-4715-9699-d88560595aa8"),
  "WWW-Authenticate": header("The scheme that is asked for.", 'ApiKey realm="api"'),
  RateLimit: optional(
    "Calls that are left of the limit (r), and seconds until all of them are there again (t).",
    '"key";r=299;t=34',
  ),
  "RateLimit-Policy": optional(
    "The limit that counts: its calls (q) in so many seconds (w); missing where the operator has switched it off.",
    '"key";q=300;w=60',
  ),
  "Retry-After": header("Seconds to wait before another try.", "5"),
  Link: optional(
    "Where to go on: the next page, the changes after a dump, or a new dump after 410. The last page has none.",
    '<https://almanac.example/api/items/changes?since=812-5f0c3a9be1d2>; rel="next"',
  ),
  Location: header("The page that the form was on, or that of the record.", "/servers/1"),
} as const satisfies Record<string, oas31.HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

/** References to headers, for a response. */
export function headersNamed(...names: HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A header that every response with this reference has. */
function header(description: string, example: string): oas31.HeaderObject {
  return { ...optional(description, example), required: true };
}

function optional(description: string, example: string): oas31.HeaderObject {
  return { description, schema: { type: "string" }, example };
}
