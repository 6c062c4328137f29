/**
 * Web Push of this browser, on the page of settings: says how it stands, switches it on and off. Without this script the
 * page says that it needs one; browsers are removed by plain forms.
 */
import { text as t } from "./texts.ts";

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

/** Why there is no Web Push here; undefined where there is. */
function whatIsMissing(): string | undefined {
  if (!window.isSecureContext) return t("script.notifications_push.insecure");
  const has = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  return has ? undefined : t("script.notifications_push.missing");
}

/** Asking for the permission comes first: some browsers allow the question only right after a click. */
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
  // One that was made for another key, or in a life before, is of no use to the site.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
}

/** Browsers themselves wait without an end for a push service that cannot be reached. */
async function inTime<Result>(subscribing: Promise<Result>): Promise<Result> {
  const end = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(t("script.notifications_push.late"))), ANSWER_MS);
  });
  return Promise.race([subscribing, end]);
}

/** The site first: a browser that unsubscribed and is still listed would be shown as one that gets notifications. */
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
      // What is wrong is shown on this page.
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

/** As the server makes it: SHA-256 of the endpoint, base64url. */
async function fingerprintOf(subscription: PushSubscription | null | undefined): Promise<string | undefined> {
  if (!subscription) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Says how it stands and offers what can be done about it; without `offer` what was offered stays. */
function showStatus(text: string, offer?: "on" | "off") {
  status.textContent = text;
  if (offer === undefined) return;
  buttons.on.hidden = offer !== "on";
  buttons.off.hidden = offer !== "off";
}
