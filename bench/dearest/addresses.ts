import { PAGE_TYPES, type Reader } from "../../test/helpers/page-types.ts";

/** An address to measure. `{n}` in its path is another number each time, so that no answer is a remembered one. */
export interface MeasuredAddress {
  readonly path: string;
  readonly reader: Reader;
  /** The fields of a form that is sent there. */
  readonly form?: Record<string, string>;
}

const COUNTRIES = ["us", "ru", "jp", "vn", "ge"];
const MODES = ["real", "mixed", "invented"];

/** 50 values of each of eleven facets: what a list took before its filters were bounded. */
const FACETS = "slot job unit rarity thirst price pack hunger grow_minutes clip alcohol".split(" ");
const FIFTY = Array.from({ length: 50 }, (_, index) => index);

/** Queries that a search has most work with, of 200 characters each. */
const HOSTILE = {
  "one letter": "a".repeat(200),
  "short words": "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(4).slice(0, 200),
  "two letters each": "in ar or er st de ol ir si he ru po ra ni ro ne al it go la ".repeat(4).slice(0, 200),
  "common words": "golden iron silver old heavy rusty infernal police racing night ".repeat(4).slice(0, 200),
  "misspelled words": "goldne iorn slivre hevay rustyy infenrus poilce racnig nihgt ".repeat(4).slice(0, 200),
  "the other layout": "пщдвут шкщт ышдмук щдв руфмн кгыен штаукгы зщдшсу кфсштп тшпре "
    .repeat(4)
    .slice(0, 200),
  "one long word": "goldenironsilveroldheavyrustyinfernalpoliceracingnight".repeat(4).slice(0, 200),
  transliterated: "золотой айрон силвер олд хеви расти инфернал полис рейсинг найт ".repeat(4).slice(0, 200),
  digits: Array.from({ length: 66 }, (_, index) => index + 10)
    .join(" ")
    .slice(0, 200),
};

/** Every kind of address that the site has; with `items` there is a long list, too. */
export function listAddresses(): MeasuredAddress[] {
  return [...pages(), ...lists(), ...searches(), ...nicknames(), ...programs(), ...forms()];
}

function visitors(...list: string[]): MeasuredAddress[] {
  return list.map((path) => ({ path, reader: "visitor" }));
}

/** What depends on a search is asked for something else each time. */
function pages(): MeasuredAddress[] {
  return [
    ...PAGE_TYPES.map(({ path, reader }) => ({ path: path.replace(/([?&]q=\w+)/, "$1{n}"), reader })),
    ...visitors(
      "/ru/",
      "/ru/items",
      "/ru/servers",
      "/ru/docs/api",
      "/items/weapon-24?{n}",
      "/docs/api?z={n}",
      "/donate?z={n}",
      "/api/openapi.json?z={n}",
    ),
    ...visitors(
      ...["24h", "7d", "30d", "1y"].map((range) => `/servers/ls-one?range=${range}`),
      "/compare/items?id=weapon-24&id=weapon-22&id=weapon-30&id=weapon-31",
      `/compare/items?${FIFTY.map((n) => `id=weapon-${n}`).join("&")}&q=golden{n}`,
      "/houses/map/points",
      "/businesses/map/points",
      "/donate?q=gold{n}",
      "/donate?sale=1",
    ),
    { path: "/profile", reader: "operator" },
    { path: "/notifications/settings", reader: "operator" },
  ];
}

function lists(): MeasuredAddress[] {
  const each = (query: (key: string) => string) => FACETS.map(query).join("&");
  return visitors(
    ...["vehicles", "houses", "businesses", "scripts"].map((kind) => `/${kind}?sort=name&page=2`),
    "/items?page=10",
    "/items?page=1000",
    "/items?sort=name",
    "/items?sort=-name&page=200",
    "/items?sort=-updated",
    "/items?sort=-a.price",
    "/items?sort=a.weight_kg&page=200",
    "/items?category=Category+3",
    "/items?a.slot=7&a.rarity=rare",
    "/items?min.price=500&max.price=60000&sort=-a.price",
    `/items?${each((key) => `min.${key}=1`)}`,
    `/items?${each((key) => `min.${key}=1&max.${key}=100000`)}&q=golden{n}`,
    `/items?${each((key) => FIFTY.map((value) => `a.${key}=${value}`).join("&"))}`,
    "/items?q=golden{n}",
    "/items?q=a&sort=name&page=3",
    "/items?q=i&a.rarity=rare&sort=-a.price",
  );
}

function searches(): MeasuredAddress[] {
  const hostile = Object.values(HOSTILE).map((query) => encodeURIComponent(query));
  const numbered = (query: string) => `${query.replace(/(%[\dA-F]{2}|.){6}$/i, "")}{n}`;
  return visitors(
    ...hostile.flatMap((query) => [
      `/api/search?q=${numbered(query)}&limit=50`,
      `/search?q=${numbered(query)}`,
    ]),
    ...["a", "in", "gol", "golden", "infenrus"].map((query) => `/api/search?q=${query}&limit=50&n={n}`),
    "/api/items/search?q=a&limit=50&offset=1000&n={n}",
    `/api/items/search?q=${numbered(hostile[2] ?? "")}&limit=50&offset=1000`,
    `/items?q=${numbered(hostile[2] ?? "")}`,
    `/donate?q=${numbered(hostile[2] ?? "")}`,
  );
}

function nicknames(): MeasuredAddress[] {
  const wishes = COUNTRIES.flatMap((country) =>
    MODES.map((mode) => `country=${country}&mode=${mode}&count=100`),
  );
  return visitors(
    ...wishes.map((wish) => `/nicknames?${wish}`),
    ...wishes.map((wish) => `/api/nickname-generator?${wish}`),
    "/nicknames?country=us&mode=mixed&count=100&first=Maximilian&max_len=24&min_len=24",
    "/nicknames?count=1",
  );
}

/** What programs, readers and crawlers ask for. */
function programs(): MeasuredAddress[] {
  return visitors(
    "/api/data",
    "/api/online",
    "/api/openapi.json",
    "/session",
    "/items.rss",
    "/ru/items.rss",
    "/discounts.rss",
    "/sitemap.xml",
    "/sitemap-pages-1.xml",
    "/sitemap-items-1.xml",
    "/robots.txt",
    "/manifest.webmanifest",
    "/service-worker.js",
    "/healthz",
    ...["24h", "7d", "30d", "1y"].map((range) => `/servers/ls-one/history.csv?range=${range}`),
    "/unsubscribe/unknown",
    "/notifications/feed/unknown.rss",
  );
}

/** Forms that anybody may send; none of them leaves anything behind. */
function forms(): MeasuredAddress[] {
  return [
    { path: "/login", reader: "visitor", form: { name: "nobody-{n}", password: "no password of anybody" } },
    { path: "/login/forgotten", reader: "visitor", form: { email: "nobody-{n}@example.invalid" } },
    { path: "/register", reader: "visitor", form: { name: "", password: "x" } },
  ];
}
