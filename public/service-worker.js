/**
 * Shows the notices that the site sends by Web Push and opens what they are about. It keeps nothing and answers no
 * requests: the site works the same with and without it.
 */
const PUSH_URL = "/notifications/push";
const INBOX_URL = "/notifications";

// A new version takes over at once: there is nothing in pages that an old one would have to go on with.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => event.waitUntil(showNotice(event.data)));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openNotice(event.notification.data ?? {}));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renewSubscription(event.oldSubscription, event.newSubscription));
});

/**
 * A browser takes the subscription away from who shows nothing, so that what cannot be read is told of as well. The
 * notice of the same discount takes the place of the one that is shown: `tag`. All that cannot be read is one.
 */
async function showNotice(data) {
  const { title, body, tag, lang, url, item } = readNotice(data);
  await self.registration.showNotification(title ?? "A discount of your favorites", {
    body: body ?? "",
    lang: lang ?? "en",
    data: { url: url ?? INBOX_URL, item },
    tag: tag ?? "notices",
  });
}

function readNotice(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

/** Goes to the window that shows the item already, else to a new one; the notice is marked as read by its address. */
async function openNotice({ url = INBOX_URL, item }) {
  const address = ownAddress(url);
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = item && windows.find((client) => new URL(client.url).pathname === ownAddress(item).pathname);
  if (!open) return self.clients.openWindow(address.href);
  await open.focus();
  // What it answers is the page that is open already.
  await fetch(address, { redirect: "manual" });
}

/** Whatever a message says, a click leads to this site. */
function ownAddress(path) {
  const address = URL.canParse(path, self.location.origin) ? new URL(path, self.location.origin) : undefined;
  return address?.origin === self.location.origin ? address : new URL(INBOX_URL, self.location.origin);
}

/** Push services change the address of a subscription now and then; the site goes on under the new one. */
async function renewSubscription(old, given) {
  const renewed = given ?? (await subscribeAnew(old));
  const response = await fetch(PUSH_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...renewed.toJSON(), ...(old && { replaces: old.endpoint }) }),
  });
  if (!response.ok) throw new Error(`the site answered ${response.status}`);
}

async function subscribeAnew(old) {
  const applicationServerKey = old?.options?.applicationServerKey ?? (await askKey());
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

async function askKey() {
  const response = await fetch(PUSH_URL);
  if (!response.ok) throw new Error(`the site answered ${response.status}`);
  return (await response.json()).application_server_key;
}
