/** Who a page is shown to; `operator` and `user` are logged in. */
export type Reader = "visitor" | "user" | "operator";

export interface PageType {
  /** What is looked at, for messages and the names of screenshots. */
  readonly name: string;
  readonly path: string;
  readonly reader: Reader;
  /** The status that it answers with; 200 unless said. */
  readonly status?: number;
  /** Whether it shows pictures of records: then the check is worth nothing without them. */
  readonly hasPictures?: boolean;
  /** It is made of the same parts as a type before it: checked on a phone, where there is the least room, alone. */
  readonly isVariant?: boolean;
}

/** One page of every type that the site has, over its demo data: each state that looks different is a type. */
export const PAGE_TYPES: readonly PageType[] = [
  withPictures("home", "/"),
  withPictures("search", "/search?q=gold"),
  withPictures("search-kind", "/search?q=a&kind=items"),
  variant(page("search-blank", "/search")),
  variant(page("search-nothing", "/search?q=qqqqqqqq")),
  variant(page("search-forgiving", "/search?q=infenrus")),
  variant(page("search-everything", "/search?q=los")),
  variant(page("search-shop", "/search?q=vip&kind=shop")),
  variant(page("search-pages", "/search?q=theme&kind=pages")),
  withPictures("items", "/items"),
  variant(withPictures("items-filtered", "/items?q=a&category=Firearms")),
  variant(page("items-nothing", "/items?q=qqqqqqqq")),
  variant(page("items-past", "/items?at=2001-01-01")),
  variant(withPictures("vehicles", "/vehicles")),
  page("scripts", "/scripts"),
  variant(page("houses", "/houses")),
  variant(page("businesses", "/businesses")),
  withPictures("item", "/items/weapon-24"),
  variant(withPictures("vehicle", "/vehicles/411")),
  page("script", "/scripts/car-dealership"),
  page("house", "/houses/house-1"),
  variant(page("business", "/businesses/biz-1")),
  withPictures("item-recipe", "/items/weapon-39"),
  page("relations", "/businesses/biz-1/relations?relation=sold-at&direction=to"),
  page("item-missing", "/items/no-such-item", "visitor", 404),
  withPictures("compare", "/compare/vehicles?id=411&id=415&id=400"),
  variant(page("compare-empty", "/compare/items")),
  page("map-houses", "/houses/map"),
  variant(page("map-businesses", "/businesses/map")),
  page("changes", "/changes?kind=items&from=2026-01-01"),
  page("servers", "/servers"),
  page("server", "/servers/ls-one"),
  variant(page("server-week", "/servers/ls-one?range=7d")),
  withPictures("donate", "/donate"),
  variant(page("donate-nothing", "/donate?q=qqqqqqqq&sale=1")),
  withPictures("donate-item", "/donate/vip-gold"),
  page("nicknames", "/nicknames"),
  variant(page("nicknames-asked", "/nicknames?country=pl&seed=a")),
  page("nicknames-refused", "/nicknames?min_len=20&max_len=10", "visitor", 400),
  page("log-in", "/login"),
  variant(page("log-in-favorite", "/login?next=%2Fitems%2Fweapon-24&favorite=item%3Aweapon-24")),
  page("register", "/register"),
  page("forgotten-password", "/login/forgotten"),
  variant(page("new-password-unknown", "/login/new-password/unknown", "visitor", 404)),
  variant(page("confirm-email-unknown", "/confirm-email/unknown", "visitor", 404)),
  page("docs-api", "/docs/api"),
  page("docs-errors", "/docs/errors"),
  page("docs-cards", "/docs/cards"),
  page("offline", "/offline"),
  page("not-found", "/nowhere", "visitor", 404),
  variant(page("not-found-meant", "/wiki/Los_Santos.html", "visitor", 404)),
  page("profile", "/profile", "user"),
  withPictures("favorites", "/favorites", "user"),
  page("price-alert", "/donate/vip-gold/wish", "user"),
  variant(page("favorites-empty", "/favorites", "operator")),
  page("server-alerts", "/servers/ls-one/alerts", "user"),
  page("notifications", "/notifications", "user"),
  variant(page("notifications-empty", "/notifications", "operator")),
  page("notification-settings", "/notifications/settings", "user"),
  page("operator", "/operator", "operator"),
  page("operator-discounts", "/operator/discounts", "operator"),
  page("operator-new-discount", "/operator/new-discount", "operator"),
  page("operator-deliveries", "/operator/deliveries", "operator"),
  page("operator-api-keys", "/operator/api-keys", "operator"),
  page("operator-records", "/operator/records", "operator"),
  page("operator-record", "/operator/records/items/weapon-24", "operator"),
  page("operator-record-remove", "/operator/records/items/weapon-24/remove", "operator"),
  page("operator-record-history", "/operator/records/items/weapon-24/history", "operator"),
  page("suggest", "/suggest/items/weapon-24", "user"),
  page("operator-new-record", "/operator/new-record/vehicles", "operator"),
  page("operator-servers", "/operator/servers", "operator"),
  page("operator-server", "/operator/records/servers/ls-one", "operator"),
  variant(page("operator-server-remove", "/operator/records/servers/ls-one/remove", "operator")),
  variant(page("operator-new-server", "/operator/new-record/servers", "operator")),
  variant(page("operator-shop-item", "/operator/records/donate-items/vip-gold", "operator")),
  page("operator-imports", "/operator/imports", "operator"),
  page("operator-new-import", "/operator/imports/new", "operator"),
  page("operator-people", "/operator/people", "operator"),
  page("operator-person", "/operator/people/1", "operator"),
  page("operator-audit-log", "/operator/audit-log", "operator"),
  page("webhooks", "/notifications/webhooks", "user"),
  variant(page("operator-webhooks", "/operator/webhooks", "operator")),
  page("operator-site", "/operator/site", "operator"),
  page("operator-vocabulary", "/operator/vocabulary", "operator"),
  page("operator-vocabulary-kind", "/operator/vocabulary/kinds/items", "operator"),
  page("operator-vocabulary-categories", "/operator/vocabulary/categories", "operator"),
  page("operator-vocabulary-new-kind", "/operator/vocabulary/new-kind", "operator"),
  page("operator-vocabulary-text", "/operator/vocabulary/text", "operator"),
  withPictures("operator-picture", "/operator/pictures/items/weapon-24", "operator"),
];

/** A page that shows pictures of records. */
function withPictures(name: string, path: string, reader: Reader = "visitor"): PageType {
  return { ...page(name, path, reader), hasPictures: true };
}

function variant(type: PageType): PageType {
  return { ...type, isVariant: true };
}

function page(name: string, path: string, reader: Reader = "visitor", status = 200): PageType {
  return { name, path, reader, status };
}
