/** The five kinds of catalogue entry, by the noun of their path. */
export type CatalogueKind = "items" | "vehicles" | "scripts" | "houses" | "businesses";

/**
 * Every public path, feeds and sitemap included. All of them are relative to the site's origin, begin with one
 * slash, and take ids as they are (an id may hold slashes, spaces or any other character).
 */
export const paths = {
  home: () => "/",
  search: (query?: string) => (query === undefined ? "/search" : `/search?q=${encodeURIComponent(query)}`),
  catalogue: (kind: CatalogueKind) => `/${kind}`,
  entry: (kind: CatalogueKind, id: string) => `/${kind}/${encodeURIComponent(id)}`,
  servers: () => "/servers",
  server: (id: string) => `/servers/${encodeURIComponent(id)}`,
  donate: () => "/donate",
  donateItem: (key: string) => `/donate/${encodeURIComponent(key)}`,
  nicknames: () => "/nicknames",
  favorites: () => "/favorites",
  notifications: () => "/notifications",
  /** Marks the notice as read and goes on to its item. */
  notification: (id: number) => `/notifications/${id}`,
  notificationsUnread: () => "/notifications/unread",
  notificationSettings: () => "/notifications/settings",
  notificationEmail: () => "/notifications/settings/email",
  notificationPush: () => "/notifications/settings/push",
  notificationBrowserRemove: (id: number) => `/notifications/settings/push/${id}/remove`,
  notificationFeedSwitch: () => "/notifications/settings/feed",
  notificationFeed: (token: string) => `/notifications/feed/${token}.rss`,
  pushSubscriptions: () => "/notifications/push",
  unsubscribe: (token: string) => `/unsubscribe/${token}`,
  serviceWorker: () => "/service-worker.js",
  operator: () => "/operator",
  operatorDiscounts: () => "/operator/discounts",
  operatorDiscount: (id: string) => `/operator/discounts/${encodeURIComponent(id)}`,
  operatorDiscountEnd: (id: string) => `/operator/discounts/${encodeURIComponent(id)}/end`,
  operatorNewDiscount: () => "/operator/new-discount",
  operatorDeliveries: () => "/operator/deliveries",
  login: (next?: string) => (next === undefined ? "/login" : `/login?next=${encodeURIComponent(next)}`),
  register: (next?: string) =>
    next === undefined ? "/register" : `/register?next=${encodeURIComponent(next)}`,
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
  toggleEntityFavorite: () => "/api/entity_favorites/toggle",
  session: () => "/session",
  itemsFeed: () => "/items.rss",
  discountsFeed: () => "/discounts.rss",
  sitemap: () => "/sitemap.xml",
  sitemapChild: (name: string, page: number) => `/sitemap-${name}-${page}.xml`,
  robots: () => "/robots.txt",
  apiDocs: () => "/docs/api",
  openapi: () => "/api/openapi.json",
  errorDocs: (slug?: string) => (slug === undefined ? "/docs/errors" : `/docs/errors#${slug}`),
  searchApi: () => "/api/search",
  /** A file of public/, such as `css/base.css`. */
  asset: (file: string) => `/assets/${file}`,
} as const;

/** A path with query parameters; those that are undefined or blank are left out. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/**
 * A path that is safe to redirect to after a form, from text that a client sent; undefined when it leads anywhere
 * but to this site. What is judged is what a browser would make of it: `//evil`, `/\evil` and `https:evil` leave.
 */
export function safeReturnPath(text: unknown): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/")) return undefined;
  const here = "http://here.invalid";
  const url = URL.parse(text, here);
  if (!url || url.origin !== here || url.username) return undefined;
  const path = url.pathname + url.search + url.hash;
  return path.startsWith("//") ? undefined : path;
}

/** The absolute form of one of our paths; an address elsewhere (an image, say) stays as it is. */
export function absoluteUrl(baseUrl: string, pathOrUrl: string): string {
  return pathOrUrl.startsWith("/") ? baseUrl + pathOrUrl : pathOrUrl;
}
