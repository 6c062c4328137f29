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
  /** Selects elements that the page has by the hundred. The slower checks look at a few of them. */
  readonly alike?: string;
}

/** One page of every type that the site has, over its demo data: each state that looks different is a type. */
export const PAGE_TYPES: readonly PageType[] = [
  withPictures("home", "/"),
  withPictures("search", "/search?q=gold"),
  withPictures("search-kind", "/search?q=a&kind=items"),
  page("search-blank", "/search"),
  page("search-nothing", "/search?q=qqqqqqqq"),
  page("search-forgiving", "/search?q=infenrus"),
  page("search-everything", "/search?q=los"),
  page("search-shop", "/search?q=vip&kind=shop"),
  page("search-pages", "/search?q=theme&kind=pages"),
  withPictures("items", "/items"),
  withPictures("items-filtered", "/items?q=a&category=Firearms"),
  page("items-nothing", "/items?q=qqqqqqqq"),
  withPictures("vehicles", "/vehicles"),
  page("scripts", "/scripts"),
  page("houses", "/houses"),
  page("businesses", "/businesses"),
  withPictures("item", "/items/weapon-24"),
  withPictures("vehicle", "/vehicles/411"),
  page("script", "/scripts/car-dealership"),
  page("house", "/houses/house-1"),
  page("business", "/businesses/biz-1"),
  withPictures("item-recipe", "/items/weapon-39"),
  page("relations", "/businesses/biz-1/relations?relation=sold-at&direction=to"),
  page("item-missing", "/items/no-such-item", "visitor", 404),
  withPictures("compare", "/compare/vehicles?id=411&id=415&id=400"),
  page("compare-empty", "/compare/items"),
  page("map-houses", "/houses/map"),
  page("map-businesses", "/businesses/map"),
  page("servers", "/servers"),
  page("server", "/servers/ls-one"),
  page("server-week", "/servers/ls-one?range=7d"),
  withPictures("donate", "/donate"),
  page("donate-nothing", "/donate?q=qqqqqqqq&sale=1"),
  withPictures("donate-item", "/donate/vip-gold"),
  page("nicknames", "/nicknames"),
  page("nicknames-asked", "/nicknames?country=pl&seed=a"),
  page("nicknames-refused", "/nicknames?min_len=20&max_len=10", "visitor", 400),
  page("log-in", "/login"),
  page("log-in-favorite", "/login?next=%2Fitems%2Fweapon-24&favorite=item%3Aweapon-24"),
  page("register", "/register"),
  page("forgotten-password", "/login/forgotten"),
  page("new-password-unknown", "/login/new-password/unknown", "visitor", 404),
  page("confirm-email-unknown", "/confirm-email/unknown", "visitor", 404),
  { ...page("docs-api", "/docs/api"), alike: ".endpoint, .docs-operations li" },
  page("docs-errors", "/docs/errors"),
  page("docs-cards", "/docs/cards"),
  page("offline", "/offline"),
  page("not-found", "/nowhere", "visitor", 404),
  page("not-found-meant", "/wiki/Los_Santos.html", "visitor", 404),
  page("profile", "/profile", "user"),
  withPictures("favorites", "/favorites", "user"),
  page("price-alert", "/donate/vip-gold/wish", "user"),
  page("favorites-empty", "/favorites", "operator"),
  page("server-alerts", "/servers/ls-one/alerts", "user"),
  page("notifications", "/notifications", "user"),
  page("notifications-empty", "/notifications", "operator"),
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
  page("operator-imports", "/operator/imports", "operator"),
  page("operator-new-import", "/operator/imports/new", "operator"),
  page("operator-people", "/operator/people", "operator"),
  page("operator-person", "/operator/people/1", "operator"),
  page("operator-audit-log", "/operator/audit-log", "operator"),
  page("webhooks", "/notifications/webhooks", "user"),
  page("operator-webhooks", "/operator/webhooks", "operator"),
  page("operator-vocabulary", "/operator/vocabulary", "operator"),
  {
    ...page("operator-vocabulary-kind", "/operator/vocabulary/kinds/items", "operator"),
    alike: ".vocabulary-row",
  },
  page("operator-vocabulary-categories", "/operator/vocabulary/categories", "operator"),
  page("operator-vocabulary-new-kind", "/operator/vocabulary/new-kind", "operator"),
  page("operator-vocabulary-text", "/operator/vocabulary/text", "operator"),
  withPictures("operator-picture", "/operator/pictures/items/weapon-24", "operator"),
];

/** A page that shows pictures of records. */
function withPictures(name: string, path: string, reader: Reader = "visitor"): PageType {
  return { ...page(name, path, reader), hasPictures: true };
}

function page(name: string, path: string, reader: Reader = "visitor", status = 200): PageType {
  return { name, path, reader, status };
}
