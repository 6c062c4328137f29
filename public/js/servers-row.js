/** Writes a server's current figures into its row of the list, as views/servers/{status,online,queue}.ejs do. */
import { now } from "./servers-ages.js";
import { ageText, grouped, isFull } from "./servers-words.js";

/** Replaces what changed and nothing else, so that focus and scroll stay. Returns whether the status changed. */
export function showServer(row, server) {
  const before = row.dataset.status;
  row.dataset.status = server.status;
  if (server.online !== null) {
    row.dataset.lastOnline = server.online;
    row.dataset.lastOnlineAt = server.last_online_at;
  }
  fill(row, "status", statusOf(server));
  fill(row, "online", onlineOf(server, lastSeen(row)));
  fill(row, "queue", queueOf(server));
  return before !== server.status;
}

/** The last count that this page saw, and when that was; the server may have told others since, which nobody saw. */
function lastSeen({ dataset }) {
  return { count: dataset.lastOnline, at: dataset.lastOnlineAt };
}

/** The time under the name that figures of long ago have. */
export function showOutdated(row, server, outdated) {
  row.querySelector("[data-part=outdated]")?.remove();
  if (!outdated) return;
  const detail = element("span", { class: "server-detail", "data-part": "outdated" }, "figures of ");
  detail.append(age(server.checked_at));
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

function statusOf(server) {
  const badge = element("span", { class: `badge is-${server.status}` }, server.status);
  return isFull(server) ? [badge, " ", element("span", { class: "badge is-full" }, "full")] : [badge];
}

function onlineOf(server, seen) {
  const { online, max_online: maximum, status, last_online_at: lastOnlineAt } = server;
  if (online !== null) return [countOf(online, maximum), ...barOf(online, maximum)];
  if (status === "online") return [element("span", { class: "muted" }, "not told")];
  if (lastOnlineAt === null) return [element("span", { class: "muted" }, "–")];
  const isThat = seen.count !== undefined && Date.parse(seen.at) === Date.parse(lastOnlineAt);
  const last = element(
    "span",
    { class: "last-good" },
    isThat ? `${grouped(Number(seen.count))} online ` : "online ",
  );
  last.append(age(lastOnlineAt));
  return [last];
}

function countOf(online, maximum) {
  const count = element("span", { class: "online-count" });
  count.append(element("strong", {}, grouped(online)));
  if (maximum !== null) count.append(" ", element("span", { class: "muted" }, `/ ${grouped(maximum)}`));
  return count;
}

function barOf(online, maximum) {
  if (maximum === null || maximum === 0) return [];
  const value = Math.min(online, maximum);
  return [element("meter", { class: "online-bar", min: "0", max: maximum, value, "aria-hidden": "true" })];
}

function queueOf({ status, queue }) {
  if (status !== "online") return [element("span", { class: "muted" }, "–")];
  return [queue === null ? element("span", { class: "muted" }, "not told") : grouped(queue)];
}

function age(time) {
  return element("time", { datetime: time, "data-age": "" }, ageText(now() - new Date(time)));
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(text);
  return made;
}
