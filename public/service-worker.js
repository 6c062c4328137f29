/**
 * Shows the site's Web Push notifications and opens their pages, and shows an offline page when there is no network.
 * It caches no other page and no answer of the API, so visitors always see the site's current state.
 *
 * The site prepends `self.kept` to this script: `cache`, a name that begins with `offline-` and changes with the
 * content; `pages`, the address of the offline page by language; `files`, what those load; `words`, the message for
 * an unreadable push by language (see src/web/look/routes.ts).
 */
const PUSH_URL = "/notifications/push";
const INBOX_URL = "/notifications";
/** Stands for the language of the page that was shown last, in a cache of its own: it outlives the versions. */
const LANGUAGE = "/offline-language";
const READER = "reader";

// A new version takes over at once: there is nothing in pages that an old one would have to go on with.
self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(install());
});
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET") return;
  if (mode === "navigate") event.respondWith(showPage(event));
  else if (self.kept.files.includes(new URL(url).pathname)) event.respondWith(showFile(event.request));
});

self.addEventListener("message", (event) => {
  const { language } = event.data ?? {};
  if (!Object.hasOwn(self.kept.pages, language)) return;
  event.waitUntil(Promise.all([remember(language), mend(), followKey().catch(() => undefined)]));
});

self.addEventListener("push", (event) => event.waitUntil(showPushed(event.data)));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPushed(event.notification.data ?? {}));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renewSubscription(event.oldSubscription, event.newSubscription));
});

/**
 * A version that cannot cache everything leaves the previous one in place, whose page is complete; the browser
 * retries at the next page. Without a previous version, notifications work alone, and `mend` keeps trying.
 */
async function install() {
  try {
    await keep();
  } catch (error) {
    if ((await olderCaches()).length > 0) throw error;
  }
}

/**
 * Where storage is full or blocked, the site works as without a service worker: the browser says that it is offline.
 */
async function mend() {
  const [page] = Object.values(self.kept.pages);
  if (!(await find(page))) await keep().catch(() => undefined);
}

/** All or nothing: a page without its style is no page. */
async function keep() {
  try {
    const cache = await caches.open(self.kept.cache);
    const pages = Object.values(self.kept.pages).map((page) => new Request(page, { credentials: "omit" }));
    await cache.addAll([...self.kept.files, ...pages]);
  } catch (error) {
    await caches.delete(self.kept.cache).catch(() => undefined);
    throw error;
  }
}

async function takeOver() {
  await self.clients.claim();
  // The browser asks for the page while it wakes this script, instead of after.
  await self.registration.navigationPreload?.enable().catch(() => undefined);
  const older = await olderCaches();
  await Promise.all(older.map((name) => caches.delete(name)));
}

async function olderCaches() {
  const names = await caches.keys().catch(() => []);
  return names.filter((name) => name.startsWith("offline-") && name !== self.kept.cache);
}

/** Whatever the site answers is shown, errors too; the kept page is for when nothing answers. */
async function showPage({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    const language = languageOf(new URL(request.url).pathname) ?? (await rememberedLanguage());
    return (await find(self.kept.pages[language])) ?? Response.error();
  }
}

/** The address contains a hash of the content, so a cached file is what the site would send. */
async function showFile(request) {
  return (await find(request)) ?? fetch(request);
}

async function find(request, cacheName = self.kept.cache) {
  // Not by `open`, which would make the cache.
  return caches.match(request, { cacheName }).catch(() => undefined);
}

function languageOf(path) {
  const [, first] = path.split("/");
  return Object.hasOwn(self.kept.pages, first) ? first : undefined;
}

async function rememberedLanguage() {
  const told = await (await find(LANGUAGE, READER))?.text();
  return told ?? Object.keys(self.kept.pages)[0];
}

async function remember(language) {
  const cache = await caches.open(READER);
  await cache.put(LANGUAGE, new Response(language));
}

/**
 * Browsers end the subscription of a worker that shows nothing, so it also reports an unreadable message. A
 * notification of the same discount replaces the shown one: `tag`. All unreadable ones are one.
 */
async function showPushed(data) {
  const { title, body, tag, lang, url, item, icon, image } = readPushed(data);
  const language = lang ?? (await rememberedLanguage());
  await self.registration.showNotification(title ?? self.kept.words[language], {
    body: body ?? "",
    lang: language,
    data: { url: url ?? INBOX_URL, item },
    tag: tag ?? "notifications",
    // Paths of this site: a message must not make the browser load anything else.
    ...(isOwnPath(icon) && { icon }),
    ...(isOwnPath(image) && { image }),
  });
}

function readPushed(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

/** Goes to the window that shows the item already, else to a new one; its address marks the notification as read. */
async function openPushed({ url = INBOX_URL, item }) {
  const address = ownAddress(url);
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  // In whichever language: its path may begin with one.
  const shows = ({ url }) => new URL(url).pathname.endsWith(ownAddress(item).pathname);
  const open = item && windows.find(shows);
  if (!open) return self.clients.openWindow(address.href);
  await open.focus();
  // Its answer is the page that is open already.
  await fetch(address, { redirect: "manual" });
}

function isOwnPath(path) {
  return typeof path === "string" && path.startsWith("/pictures/");
}

/** Whatever a message says, a click leads to this site. */
function ownAddress(path) {
  const address = URL.canParse(path, self.location.origin) ? new URL(path, self.location.origin) : undefined;
  return address?.origin === self.location.origin ? address : new URL(INBOX_URL, self.location.origin);
}

/** Push services change the address of a subscription now and then; the site goes on under the new one. */
async function renewSubscription(old, given) {
  await report(given ?? (await subscribe(await siteKey(old))), old);
}

/** The endpoint whose key was compared since this script has been running. */
let comparedEndpoint;

/**
 * A subscription is bound to the key that the site had then. If the site has another one now, no message reaches the
 * browser until it subscribes again.
 */
async function followKey() {
  const old = await self.registration.pushManager?.getSubscription();
  const used = old?.options?.applicationServerKey;
  if (!used || old.endpoint === comparedEndpoint) return;
  comparedEndpoint = old.endpoint;
  const key = await requestKey();
  if (base64url(used) === key) return;
  // Browsers refuse a second subscription with another key.
  await old.unsubscribe();
  await report(await subscribe(key), old);
}

async function report(renewed, old) {
  const response = await fetch(PUSH_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...renewed.toJSON(), ...(old && { replaces: old.endpoint }) }),
  });
  if (!response.ok) throw new Error(`the site answered ${response.status}`);
}

function subscribe(applicationServerKey) {
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** The site's current key; if the site does not answer, the key of the old subscription. */
async function siteKey(old) {
  try {
    return await requestKey();
  } catch (error) {
    const used = old?.options?.applicationServerKey;
    if (used) return used;
    throw error;
  }
}

async function requestKey() {
  const response = await fetch(PUSH_URL);
  if (!response.ok) throw new Error(`the site answered ${response.status}`);
  return (await response.json()).application_server_key;
}

function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
