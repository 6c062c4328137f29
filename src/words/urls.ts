import { memoize } from "../settings/memoize.ts";
import type { ThumbKind } from "./kinds/glyphs.ts";
import {
  API_FAVORITE_KINDS,
  type CatalogueKind,
  type CompareKind,
  has,
  type MapKind,
  type ReportedKind,
} from "./kinds/kinds.ts";

/** A path below a kind that is not a record; an equal id is escaped (see `entryId`). */
const MAP_WORD = "map";
const ESCAPE = "~";

/** The endings of feeds. Not `.json`, which one could take for the API. */
const FEED_ENDINGS = { rss: ".rss", atom: ".atom", json: ".feed.json" } as const;
type FeedEnding = keyof typeof FEED_ENDINGS;

function entryPath(kind: CatalogueKind, id: string): string {
  return `/${kind}/${isTakenForFixed(kind, id) ? ESCAPE : ""}${encodeURIComponent(id)}`;
}

/** Every public path, with feeds and sitemap, relative to the site's origin. Ids may hold any character. */
export const paths = {
  home: () => "/",
  search: (query?: string) => (query === undefined ? "/search" : `/search?q=${encodeURIComponent(query)}`),
  catalogue: (kind: CatalogueKind) => `/${kind}`,
  /** A list of a kind as a file; beside the list, so that no entry's path can be the same. */
  catalogueFile: (kind: CatalogueKind) => `/${kind}.csv`,
  entry: entryPath,
  /** All entries of a kind of relation to one of them, which is its end `direction`. */
  relations: (
    kind: CatalogueKind,
    id: string,
    { page = 1, ...group }: { relation: string; direction: string; page?: number },
  ): string => {
    const query = new URLSearchParams({ ...group, ...(page > 1 && { page: String(page) }) });
    return `${paths.entry(kind, id)}/relations?${query}`;
  },
  /** A part of a page that scripts show beside a link to the entry. */
  entryCard: (kind: CatalogueKind, id: string) => `${paths.entry(kind, id)}/card`,
  /** What chats show of a link to the entry; `file` is its version, see src/discovery/previews/card.ts. */
  entryPreview: (kind: CatalogueKind, id: string, file: string) => `${paths.entry(kind, id)}/preview/${file}`,
  /** Up to four entries of a kind side by side. */
  compare: (kind: CompareKind, ids: string[]) => {
    const query = new URLSearchParams(ids.map((id): [string, string] => ["id", id]));
    return query.size === 0 ? `/compare/${kind}` : `/compare/${kind}?${query}`;
  },
  /** The map of a kind; `at` is the id of an entry to show. */
  map: (kind: MapKind, at?: string) =>
    at === undefined ? `/${kind}/${MAP_WORD}` : `/${kind}/${MAP_WORD}?at=${encodeURIComponent(at)}`,
  mapPoints: (kind: MapKind) => `/${kind}/${MAP_WORD}/points`,
  /** How the catalogue differs between two times. */
  changes: () => "/changes",
  /** The days on which it changed. */
  changesFeed: (format: FeedEnding = "rss") => `/changes${FEED_ENDINGS[format]}`,
  servers: () => "/servers",
  server: (id: string) => `/servers/${encodeURIComponent(id)}`,
  /** Its state and players as a picture for other sites. */
  serverBadge: (id: string) => `${paths.server(id)}/badge.svg`,
  serverPreview: (id: string, file: string) => `${paths.server(id)}/preview/${file}`,
  serverAlerts: (id: string) => `${paths.server(id)}/alerts`,
  donate: () => "/donate",
  donateItem: (key: string) => `/donate/${encodeURIComponent(key)}`,
  donateWish: (key: string) => `${paths.donateItem(key)}/wish`,
  donateItemPreview: (key: string, file: string) => `${paths.donateItem(key)}/preview/${file}`,
  nicknames: () => "/nicknames",
  favorites: () => "/favorites",
  notifications: () => "/notifications",
  /** Marks the notification as read and goes on to its item. */
  notification: (id: number) => `/notifications/${id}`,
  notificationsUnread: () => "/notifications/unread",
  notificationSettings: () => "/notifications/settings",
  notificationChannel: (name: string) => `/notifications/settings/${name}`,
  notificationBrowserRemove: (id: number) => `/notifications/settings/push/${id}/remove`,
  notificationFeed: (token: string) => `/notifications/feed/${token}.rss`,
  pushSubscriptions: () => "/notifications/push",
  /** A user's Discord channels and servers for events. */
  webhooks: () => "/notifications/webhooks",
  webhook: (id: number) => `/notifications/webhooks/${id}`,
  unsubscribe: (token: string) => `/unsubscribe/${token}`,
  serviceWorker: () => "/service-worker.js",
  /** The page that the service worker shows when there is no network. */
  offline: () => "/offline",
  manifest: () => "/manifest.webmanifest",
  operator: () => "/operator",
  operatorDiscounts: () => "/operator/discounts",
  operatorDiscount: (id: string) => `/operator/discounts/${encodeURIComponent(id)}`,
  operatorDiscountEnd: (id: string) => `/operator/discounts/${encodeURIComponent(id)}/end`,
  operatorNewDiscount: () => "/operator/new-discount",
  operatorDeliveries: () => "/operator/deliveries",
  /** The same as `webhooks`, for the whole site. */
  operatorWebhooks: () => "/operator/webhooks",
  operatorWebhook: (id: number) => `/operator/webhooks/${id}`,
  operatorKeyGrants: () => "/operator/api-keys",
  /** Records by hand: those to restore, and where to add one. */
  operatorRecords: () => "/operator/records",
  operatorServers: () => "/operator/servers",
  operatorNewRecord: (kind: string) => `/operator/new-record/${kind}`,
  operatorRecord: (kind: string, id: string) => `/operator/records/${kind}/${encodeURIComponent(id)}`,
  operatorRecordHistory: (kind: string, id: string) => `${paths.operatorRecord(kind, id)}/history`,
  operatorRecordRemove: (kind: string, id: string) => `${paths.operatorRecord(kind, id)}/remove`,
  operatorSuggestion: (id: number) => `/operator/suggestions/${id}`,
  /** The form to report a mistake about a record, for anybody with an account. */
  suggest: (kind: ReportedKind, id: string) => `/suggest/${kind}/${encodeURIComponent(id)}`,
  /** The page of a record that a report is about. */
  reported: (kind: ReportedKind, id: string) =>
    kind === "donate-items" ? `/donate/${encodeURIComponent(id)}` : entryPath(kind, id),
  operatorRecordRestore: (kind: string, id: string) => `${paths.operatorRecord(kind, id)}/restore`,
  operatorImports: () => "/operator/imports",
  operatorImport: (id: number) => `/operator/imports/${id}`,
  operatorSource: (id: number) => `/operator/imports/sources/${id}`,
  operatorNewImport: () => "/operator/imports/new",
  operatorImportUpload: (id: number) => `/operator/imports/uploads/${id}`,
  operatorPeople: () => "/operator/people",
  operatorPerson: (id: number) => `/operator/people/${id}`,
  operatorBackup: () => "/operator/backup",
  operatorAudit: () => "/operator/audit-log",
  operatorAuditFile: () => "/operator/audit-log.csv",
  operatorSite: () => "/operator/site",
  operatorSiteLogo: () => "/operator/site/logo",
  operatorVocabulary: () => "/operator/vocabulary",
  operatorVocabularyKind: (kind: string) => `/operator/vocabulary/kinds/${encodeURIComponent(kind)}`,
  operatorVocabularyShared: () => "/operator/vocabulary/every-kind",
  operatorVocabularyCategories: () => "/operator/vocabulary/categories",
  operatorVocabularyNewKind: () => "/operator/vocabulary/new-kind",
  operatorVocabularyText: () => "/operator/vocabulary/text",
  /** The style sheet of colours that a preview shows: `b3341b.d4a017`. */
  operatorVocabularyTints: (colours: string) => `/operator/vocabulary/tints.css?colours=${colours}`,
  operatorPicture: (kind: ThumbKind, id: string) => `/operator/pictures/${kind}/${encodeURIComponent(id)}`,
  operatorPictureRemove: (kind: ThumbKind, id: string) => `${paths.operatorPicture(kind, id)}/remove`,
  /** `next` is the page to continue to, `favorite` the record to add to favorites (see `PendingFavorite`). */
  login: (next?: string, favorite?: string) => withQuery("/login", { next, favorite }),
  register: (next?: string, favorite?: string) => withQuery("/register", { next, favorite }),
  typedForm: () => "/login/typed",
  forgottenPassword: () => "/login/forgotten",
  newPassword: (token: string) => `/login/new-password/${token}`,
  confirmEmail: (token: string) => `/confirm-email/${token}`,
  logout: () => "/logout",
  profile: () => "/profile",
  profileEmail: () => "/profile/email",
  profileConfirmation: () => "/profile/email/confirmation",
  profileLocale: () => "/profile/locale",
  profilePassword: () => "/profile/password",
  profileDelete: () => "/profile/delete",
  apiKeys: () => "/profile/keys",
  apiKeyRevoke: (id: number) => `/profile/keys/${id}/revoke`,
  notificationsRead: () => "/notifications/read",
  toggleServerFavorite: () => "/api/favorites/toggle",
  toggleDonateFavorite: () => "/api/donate_favorites/toggle",
  /** For entries of a kind, by its word for one; the interface fixes which ones have the first path. */
  toggleEntityFavorite: (word: string) =>
    API_FAVORITE_KINDS.some((fixed) => fixed === word)
      ? "/api/entity_favorites/toggle"
      : "/api/entry_favorites/toggle",
  announcements: () => "/announcements",
  session: () => "/session",
  /** Additions, changes and removals of a kind, or of one of its categories; `from` is where a page begins. */
  feed: (
    kind: CatalogueKind,
    format: FeedEnding = "rss",
    { category, from }: { category?: string | undefined; from?: string | undefined } = {},
  ): string => withQuery(`/${kind}${FEED_ENDINGS[format]}`, { category, from }),
  discountsFeed: (format: FeedEnding = "rss", category?: string): string =>
    withQuery(`/discounts${FEED_ENDINGS[format]}`, { category }),
  sitemap: () => "/sitemap.xml",
  sitemapChild: (name: string, page: number) => `/sitemap-${name}-${page}.xml`,
  robots: () => "/robots.txt",
  /** Where programs look for a site's icon without having read a page. */
  favicon: () => "/favicon.ico",
  /** Says to browsers how to search the site. */
  openSearch: () => "/opensearch.xml",
  searchSuggestions: () => "/search/suggestions",
  /** Says that the process answers. */
  health: () => "/healthz",
  /** Says whether the site can serve. */
  readiness: () => "/readyz",
  /** What the process measures, for those who have the token. */
  metrics: () => "/metrics",
  apiDocs: () => "/docs/api",
  cardDocs: () => "/docs/cards",
  /** The script that shows our cards on other sites; they name this path, so it never changes. */
  cardScript: () => "/embed/cards.js",
  openapi: () => "/api/openapi.json",
  errorDocs: (slug?: string) => (slug === undefined ? "/docs/errors" : `/docs/errors#${slug}`),
  searchApi: () => "/api/search",
  /** The search of everything: what the search box asks. */
  fullSearchApi: () => "/api/search/all",
  changesApi: (kind: CatalogueKind) => `/api/${kind}/changes` as const,
  /** A whole kind as one file. */
  dump: (kind: CatalogueKind) => `/api/${kind}.ndjson.gz` as const,
  /** A file of a record's picture (see stored-picture.ts). */
  picture: (name: string, file: string) => `/pictures/${name}-${file}`,
  /** What chats show of a link to a page that is about no record. */
  sitePreview: (file: string) => `/preview/${file}`,
  /** A file of public/, such as `css/web/base.css`. */
  asset: (file: string) => `/assets/${file}`,
} as const;

/** What the site's paths begin with, kinds left out: no kind can have such a name. */
export function firstParts(): ReadonlySet<string> {
  const [kind, id] = [":kind", ":id"];
  const made = Object.values(paths).map((make) => (make as (...parts: unknown[]) => string)(kind, [id], {}));
  const parts = made.map((path) => /^\/([^/.?#]*)/.exec(path)?.[1] ?? "");
  return new Set([...parts, "sitemap"].filter((part) => part !== "" && part !== kind));
}

/** Every path; see `localPaths` for those of one language. */
export type Paths = typeof paths;

/**
 * The id from the decoded last part of an entry's path: the house `map` is at `/houses/~map`, because `/houses/map` is
 * the map. Other ids are not changed.
 */
export function entryId(kind: CatalogueKind, part: string): string {
  const isEscaped = part.startsWith(ESCAPE) && isTakenForFixed(kind, part);
  return isEscaped ? part.slice(ESCAPE.length) : part;
}

/** Whether the last part of a path below a kind is a page of its own and no entry. */
export function isFixedPart(kind: CatalogueKind, part: string): boolean {
  return has(kind, "isPlaced") && part === MAP_WORD;
}

/** True for a fixed word and for its escaped forms: `map`, `~map`, `~~map`. */
function isTakenForFixed(kind: CatalogueKind, id: string): boolean {
  return has(kind, "isPlaced") && id.replace(/^~+/, "") === MAP_WORD;
}

/** Paths that are the same in every language. */
const WITHOUT_LANGUAGE = new Set<keyof Paths>([
  "notificationFeed",
  "pushSubscriptions",
  "unsubscribe",
  "serviceWorker",
  "toggleServerFavorite",
  "toggleDonateFavorite",
  "toggleEntityFavorite",
  "session",
  "sitemap",
  "sitemapChild",
  "robots",
  "favicon",
  "cardScript",
  "health",
  "readiness",
  "openapi",
  "searchApi",
  "fullSearchApi",
  "changesApi",
  "dump",
  "picture",
  "asset",
  "operatorVocabularyTints",
]);

/** Every path, with a prefix for pages: `/ru`, or empty without a language. */
export const localPaths = memoize((prefix: string): Paths => {
  if (prefix === "") return paths;
  const local = Object.entries(paths).map(([name, make]) => {
    const path = make as (...parts: unknown[]) => string;
    const isLocal = !WITHOUT_LANGUAGE.has(name as keyof Paths);
    return [name, isLocal ? (...parts: unknown[]) => withPrefix(prefix, path(...parts)) : path];
  });
  return Object.fromEntries(local);
});

/** A path with a language's prefix (`/ru`), added once; the home page gets no trailing slash. */
export function withPrefix(prefix: string, path: string): string {
  if (prefix === "" || path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`))
    return path;
  return path === "/" || path.startsWith("/?") ? prefix + path.slice(1) : prefix + path;
}

/** A path with query parameters, omitting undefined and blank ones. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The absolute form of one of our paths; other addresses stay as they are. */
export function absoluteUrl(baseUrl: string, pathOrUrl: string): string {
  return pathOrUrl.startsWith("/") ? baseUrl + pathOrUrl : pathOrUrl;
}
