/**
 * Web Push of this browser on the settings page: shows its state, switches it on and off. Without scripts the page
 * says that it needs them; browsers are removed by plain forms.
 */
import { text as t } from "../web/texts.ts";

const ANSWER_MS = 20_000;
const box = document.querySelector("[data-push]") as HTMLElement;
const { pushWorker = "", pushKey = "", pushUrl = "" } = box.dataset;
const status = box.querySelector("[data-push-status]") as HTMLElement;
const buttons = {
  on: box.querySelector("[data-push-on]") as HTMLButtonElement,
  off: box.querySelector("[data-push-off]") as HTMLButtonElement,
};

buttons.on.addEventListener("click", () => attempt(switchOn));
buttons.off.addEventListener("click", () => attempt(switchOff));
showState().catch(() => showStatus(t("script.notifications_push.unknown")));

async function showState() {
  const missing = whatIsMissing();
  if (missing) return showStatus(missing);
  const row = rowOf(await fingerprintOf(await currentSubscription()));
  if (row) (row.querySelector("[data-this-browser]") as HTMLElement).hidden = false;
  if (Notification.permission === "denied") {
    return showStatus(t("script.notifications_push.blocked"));
  }
  if (!row) return showStatus(t("script.notifications_push.off"), "on");
  const isPaused = "pushPaused" in box.dataset;
  showStatus(isPaused ? t("script.notifications_push.paused") : t("script.notifications_push.on"), "off");
}

/** Why Web Push does not work here; undefined if it does. */
function whatIsMissing(): string | undefined {
  if (!window.isSecureContext) return t("script.notifications_push.insecure");
  const has = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  return has ? undefined : t("script.notifications_push.missing");
}

/** Asks for permission first: some browsers allow that only right after a click. */
async function switchOn() {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return showState();
  showStatus(t("script.notifications_push.asking"));
  const subscription = await inTime(subscribe());
  await send("POST", subscription.toJSON());
  window.location.reload();
}

async function subscribe(): Promise<PushSubscription> {
  await navigator.serviceWorker.register(pushWorker);
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription for another key is of no use.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
}

/** Browsers wait forever for a push service that cannot be reached. */
async function inTime<Result>(subscribing: Promise<Result>): Promise<Result> {
  const end = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(t("script.notifications_push.late"))), ANSWER_MS);
  });
  return Promise.race([subscribing, end]);
}

/** Notifies the site first: otherwise an unsubscribed browser could still be listed as active. */
async function switchOff() {
  const subscription = await currentSubscription();
  if (subscription) {
    await send("DELETE", { endpoint: subscription.endpoint });
    await subscription.unsubscribe();
  }
  window.location.reload();
}

async function attempt(change: () => Promise<void>) {
  for (const button of Object.values(buttons)) button.disabled = true;
  try {
    await change();
  } catch (error) {
    showStatus(t("script.notifications_push.failed", { reason: (error as Error).message }));
    for (const button of Object.values(buttons)) button.disabled = false;
  }
}

async function send(method: string, body: object) {
  const response = await fetch(pushUrl, {
    method,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json",
      // The language of the error, which this page shows.
      "Accept-Language": document.documentElement.lang,
    },
    body: JSON.stringify(body),
  });
  if (response.ok) return;
  const { detail } = await response.json().catch(() => ({}));
  throw new Error(detail ?? t("script.notifications_push.status", { status: response.status }));
}

async function currentSubscription(): Promise<PushSubscription | null | undefined> {
  const registration = await navigator.serviceWorker.getRegistration(pushWorker);
  return registration?.pushManager.getSubscription();
}

/** The row of a subscription among this account's browsers; it may be another account's, or removed. */
function rowOf(fingerprint: string | undefined): Element | null {
  return fingerprint ? document.querySelector(`[data-browser="${fingerprint}"]`) : null;
}

/** The same as on the server: SHA-256 of the endpoint, base64url. */
async function fingerprintOf(subscription: PushSubscription | null | undefined): Promise<string | undefined> {
  if (!subscription) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Shows the state and offers a button; without `offer` the buttons stay as they are. */
function showStatus(text: string, offer?: "on" | "off") {
  status.textContent = text;
  if (offer === undefined) return;
  buttons.on.hidden = offer !== "on";
  buttons.off.hidden = offer !== "off";
}
