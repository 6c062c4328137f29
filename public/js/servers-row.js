/** Writes a server's current figures where they stand in a page, as views/servers/{status,online,queue}.ejs do. */
import { now } from "./servers-ages.js";
import { words } from "./servers-language.js";
import { ageText, isFull } from "./servers-words.js";

const { t, number } = words;

/** Replaces what changed and nothing else, so that focus and scroll stay. */
export function showServer(row, server) {
  row.dataset.status = server.status;
  if (server.online !== null) {
    row.dataset.lastOnline = server.online;
    row.dataset.lastOnlineAt = server.last_online_at;
  }
  fill(row, "status", statusOf(server));
  fill(row, "online", onlineOf(server, lastSeen(row)));
  fill(row, "queue", queueOf(server));
}

/** The last count that this page saw, and when that was; the server may have told others since, which nobody saw. */
function lastSeen({ dataset }) {
  return { count: dataset.lastOnline, at: dataset.lastOnlineAt };
}

/** The time under the name that figures of long ago have. */
export function showOutdated(row, server, outdated) {
  row.querySelector("[data-part=outdated]")?.remove();
  if (!outdated) return;
  const detail = element("span", { class: "server-detail", "data-part": "outdated" });
  detail.append(t("script.servers.figures_of"), " ", age(server.checked_at));
  row.querySelector(".server-name").append(detail);
}

/** A node that says the same as before is left where it is. */
function fill(row, part, nodes) {
  const place = row.querySelector(`[data-part=${part}]`);
  const wanted = document.createElement("div");
  wanted.append(...nodes);
  if (wanted.textContent.replace(/\s+/g, "") === place.textContent.replace(/\s+/g, "")) return;
  place.replaceChildren(...wanted.childNodes);
}

/** The page has the badges of every state in a template: their markup is the server's. */
function statusOf(server) {
  const { content } = document.querySelector("template[data-states]");
  const state = isFull(server) ? "full" : server.status;
  return content.querySelector(`[data-state=${state}]`).cloneNode(true).childNodes;
}

function onlineOf(server, seen) {
  const { online, max_online: maximum, status, last_online_at: lastOnlineAt } = server;
  if (online !== null) return [countOf(online, maximum), ...barOf(online, maximum)];
  if (status === "online") return [notTold()];
  if (lastOnlineAt === null) return [element("span", { class: "muted" }, "–")];
  const isThat = seen.count !== undefined && Date.parse(seen.at) === Date.parse(lastOnlineAt);
  const count = () => t("script.servers.online", { figure: number(Number(seen.count)) });
  const last = element("span", { class: "last-good" }, isThat ? count() : t("script.servers.seen"));
  last.append(" ", age(lastOnlineAt));
  return [last];
}

function countOf(online, maximum) {
  const count = element("span", { class: "online-count" });
  count.append(element("strong", {}, number(online)));
  if (maximum !== null) count.append(" ", element("span", { class: "muted" }, `/ ${number(maximum)}`));
  return count;
}

function barOf(online, maximum) {
  if (maximum === null || maximum === 0) return [];
  const value = Math.min(online, maximum);
  return [element("meter", { class: "online-bar", min: "0", max: maximum, value, "aria-hidden": "true" })];
}

function queueOf({ status, queue }) {
  if (status !== "online") return [element("span", { class: "muted" }, "–")];
  return [queue === null ? notTold() : number(queue)];
}

function notTold() {
  return element("span", { class: "muted" }, t("script.servers.not_told"));
}

function age(time) {
  return element("time", { datetime: time, "data-age": "" }, ageText(now() - new Date(time), words));
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(text);
  return made;
}
