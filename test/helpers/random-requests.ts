/** A request as it goes over the wire. */
export interface RandomRequest {
  readonly method: string;
  /** The target of the request line: a path or a whole URL, with a query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers that identify a client. */
export type Client = Readonly<Record<string, string>>;

interface Wanted {
  readonly seed: number;
  readonly clients: readonly Client[];
  /** Texts for `api_key`: live, revoked and wrong ones. */
  readonly keys: readonly string[];
}

/** Paths with the parameters that they know. Only what answers the same twice: a nickname needs its seed. */
const LIST = [
  "q",
  "category",
  "sort",
  "page",
  "letter",
  "without",
  "only",
  "begin",
  "a.slot",
  "min.price",
  "max.price",
];
const PAGES: readonly [path: string, ...parameters: string[]][] = [
  ["/"],
  ["/items", ...LIST],
  ["/vehicles", ...LIST],
  ["/items.csv", ...LIST],
  ["/items/knife"],
  ["/items/knife/card"],
  ["/items/knife/relations", "relation", "direction", "page"],
  ["/items/none"],
  ["/houses/map", "category", "at", "page"],
  ["/houses/map/points", "category", "at"],
  ["/compare/items", "id", "q", "only"],
  ["/search", "q", "kind", "category", "page"],
  ["/search/suggestions", "q"],
  ["/servers", "q", "game", "not_full", "sort", "live"],
  ["/servers/one", "range", "live"],
  ["/servers/one/badge.svg"],
  ["/servers/one/history.csv", "range"],
  ["/donate", "q", "category", "sale", "sort", "page"],
  ["/donate/gold"],
  ["/docs/errors"],
  ["/login", "next", "favorite", "changed", "ended"],
  ["/register", "next", "favorite"],
  ["/items.rss", "category", "from"],
  ["/items.atom", "category", "from"],
  ["/discounts.rss", "category"],
  ["/sitemap.xml"],
  ["/robots.txt"],
  ["/opensearch.xml"],
  ["/manifest.webmanifest"],
  ["/nowhere"],
];
const API: readonly [path: string, ...parameters: string[]][] = [
  ["/api/search", "q", "limit"],
  ["/api/search/all", "q", "limit", "lang"],
  ["/api/items/search", "q", "limit", "offset"],
  ["/api/vehicles/search", "q", "limit", "offset"],
  ["/api/scripts/search", "q", "limit", "offset"],
  ["/api/data", "range"],
  ["/api/online"],
  ["/api/nickname-generator?seed=fixed", "country", "mode", "sex", "count"],
  ["/api/items", "limit", "fields", "lang", "sort", "category", "a.slot", "min.price"],
  ["/api/items/knife", "fields", "lang"],
  ["/api/items/none", "fields"],
  ["/api/vehicles", "limit", "lang"],
  ["/api/servers", "limit"],
  ["/api/servers/one", "fields"],
  ["/api/donate_items", "limit", "lang"],
  ["/api/relations?kind=item&id=knife", "limit"],
  ["/api/openapi.json"],
  ["/api/nowhere"],
  ["/api/favorites/toggle", "server_id"],
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  q: [
    "knife",
    "medic",
    "medic%3Fapi_key%3Dx",
    "rope",
    "k",
    "",
    "%6bnife",
    "knife+",
    "%ED%EE%E6",
    "%D0%BD%D0%BE%D0%B6",
    "%00",
    "%F0%9F%94%AA",
  ],
  limit: ["1", "10", "50", "0", "x", ""],
  offset: ["0", "1", "5000"],
  page: ["1", "2", "0"],
  sort: ["name", "-name", "updated", "nothing"],
  category: ["Tools", "none", ""],
  kind: ["items", "vehicles", "users"],
  letter: ["K", "other"],
  range: ["24h", "7d", "2y"],
  lang: ["en", "ru", "de", "??"],
  fields: ["id", "id,name", "nothing"],
  id: ["knife", "rope", ""],
  next: ["%2Fitems", "%2Fprofile%3Fapi_key%3Dsecret", "https://evil.example/"],
  live: ["1", "0"],
  relation: ["made-of"],
  direction: ["from", "to"],
  country: ["pl", "us", "xx"],
};
const OTHER_VALUES = ["1", "2", "a", ""];

const ACCEPTS = [
  "*/*",
  "application/json",
  "text/csv",
  "text/*;q=0.5, application/json;q=0.4",
  "application/json;q=0, */*",
  "*/*, application/json;q=0",
  "text/html",
  "image/png",
  "application/xml;q=0.9, text/csv;q=0.1",
];
const LANGUAGES = ["en", "ru", "ru;q=0.5, en", "de, *;q=0.1", "xx"];
const ENCODINGS = ["gzip", "br", "identity", "gzip, deflate, br", "br;q=0, gzip", "*;q=0"];

/** Each pair of targets is sent so many times, by so many senders: enough for a cache to keep and to confuse them. */
const BURST = 24;
const SENDERS = 3;

/**
 * Endless requests by a seed, the same ones each time, in bursts: two forms of one target, mixed from several senders.
 * So requests that differ in one input only stand side by side, which is where a cache confuses them.
 */
export function* randomRequests({ seed, clients, keys }: Wanted): Generator<RandomRequest, never> {
  const random = numbers(seed);
  const chance = (share: number) => random() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const parameter = (name: string) =>
    `${chance(0.05) ? encodeName(name) : name}=${pick(VALUES[name] ?? OTHER_VALUES)}`;
  const extra = () =>
    pick([
      () => `z=${Math.floor(random() * 4)}`,
      () => `utm_source=${pick(OTHER_VALUES)}`,
      () => `api_key=${pick(keys)}`,
      () => `%61pi_key=${pick(keys)}`,
      () => `API_KEY=${pick(keys)}`,
      () => `q=medic%3Fapi_key%3D${pick(keys)}`,
      () => `constructor=1`,
      () => "",
    ])();

  const target = (): string => {
    if (chance(0.15)) return dress(`/api/search/all?q=${pick(["medic", "medic%3Fapi_key%3Dx"])}`);
    const [start, ...known] = pick(chance(0.7) ? API : PAGES);
    const named = [...known].filter(() => chance(Math.min(0.6, 1.5 / known.length)));
    const parts = named.map(parameter);
    if (chance(0.2)) parts.push(extra());
    if (chance(0.03) && parts[0] !== undefined) parts.push(parts[0]);
    return dress(
      [start, ...parts].join(start.includes("?") ? "&" : "?").replace(/\?(.*)$/, (query) => {
        const [, ...rest] = query.split("?");
        return `?${rest.join("&")}`;
      }),
    );
  };
  const dress = (path: string): string => {
    const localised = path.startsWith("/api") || !chance(0.2) ? path : pick(["/ru", "/en", "/RU"]) + path;
    const slashed = chance(0.02) ? localised.replace(/(?=\?|$)/, "/") : localised;
    return chance(0.08)
      ? `${pick(["http", "http", "HTTPS"])}://${pick(["x", "x", "almanac.test:80"])}${slashed}`
      : slashed;
  };
  const headers = (): Record<string, string> => ({
    ...pick(clients),
    ...(chance(0.7) && { accept: pick(ACCEPTS) }),
    ...(chance(0.4) && { "accept-language": pick(LANGUAGES) }),
    ...(chance(0.5) && { "accept-encoding": pick(ENCODINGS) }),
    ...(chance(0.05) && { "if-none-match": pick(["*", '"old"']) }),
    ...(chance(0.03) && { "if-modified-since": "Sat, 21 Nov 2026 10:00:00 GMT" }),
    ...(chance(0.03) && { "cache-control": "no-cache" }),
    ...(chance(0.03) && { origin: "https://other.example" }),
  });
  const method = () => (chance(0.97) ? "GET" : pick(["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]));
  /** The same target in another form: a cache must tell these apart, or know them for the same. */
  const variant = (target: string): string =>
    pick([
      () => target,
      () => `${target}${target.includes("?") ? "&" : "?"}${extra()}`,
      // What is inside a value must stay there.
      () => target.replace(/%3F[^&]*/g, ""),
      () => target.replace(/(?<=[?&]q=[^&]*)(?=&|$)/, `%3Fapi_key%3D${pick(keys)}`),
      () => target.replace(/(?<=[?&]q=[^&]*)(?=&|$)/, "%3Fapi_key%3Dx"),
      () => target.replace(/^([a-z]+:\/\/[^/]*)?/i, "http://x"),
      () => target.replace(/^([a-z]+:\/\/[^/]*)?/i, "http://x"),
      () => target.replace(/^[a-z]+:\/\/[^/]*/i, ""),
    ])();

  for (;;) {
    const first = target();
    const targets = [first, variant(first)];
    const senders = Array.from({ length: SENDERS }, headers);
    for (let sent = 0; sent < BURST; sent += 1)
      yield { method: method(), target: pick(targets), headers: pick(senders) };
  }
}

function encodeName(name: string): string {
  return name.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

/** Numbers from 0 to 1, by a seed: https://en.wikipedia.org/wiki/Linear_congruential_generator (Numerical Recipes' constants). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
