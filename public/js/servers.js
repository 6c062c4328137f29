/**
 * Keeps the list of servers true while it is open: asks for the current figures every half minute and writes what
 * changed into the rows. Nothing is sorted anew under the reader's eyes. Without this script a reload does the same.
 */

import { now, showAges, takeClock } from "./servers-ages.js";
import { poll } from "./servers-poll.js";
import { showOutdated, showServer } from "./servers-row.js";
import { totalsOf, totalsText } from "./servers-words.js";
import { askApi } from "./session.js";

/** As the server has it: figures that are older are no longer "now". */
const OUTDATED_MS = 3_600_000;
const POLLED_OUTDATED_MS = 900_000;
/** An answer that takes longer than this is none. */
const PATIENCE_MS = 20_000;
/** More changes than these at once are told by their number. */
const NAMED = 3;

const table = document.querySelector("[data-servers]");
if (table) keepTrue();

function keepTrue() {
  const rows = new Map(
    [...table.querySelectorAll("[data-server-id]")].map((row) => [row.dataset.serverId, row]),
  );
  let etag;
  let all;

  const updates = poll(async () => {
    // Without a word of its own a browser would say "no-cache" here, which asks for a whole answer and never for a 304.
    const headers = { "Cache-Control": "max-age=0", ...(etag && { "If-None-Match": etag }) };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await askApi("/api/online", { headers, cache: "no-store", signal });
    takeClock(response);
    if (response.status !== 304) {
      if (!response.ok) throw failureOf(response);
      show(await response.json());
      etag = response.headers.get("ETag") ?? undefined;
    }
    showAges();
  });
  addPause(updates);

  function show({ generated_at: generatedAt, servers }) {
    const changed = [];
    for (const server of servers) {
      const row = rows.get(server.server_id);
      const limit = row?.dataset.polled === undefined ? OUTDATED_MS : POLLED_OUTDATED_MS;
      server.outdated = now() - Date.parse(server.checked_at ?? "") > limit;
      if (!row) continue;
      if (showServer(row, server)) changed.push(`${nameOf(row)} is ${server.status}`);
      showOutdated(row, server, server.outdated);
    }
    showNewest(generatedAt);
    document.querySelector("[data-totals]").textContent = totalsText(totalsOf(servers));
    if (changed.length > 0) tell(changed);
    noticeOthers(servers);
  }

  /** A filtered list lacks servers by right: that one came shows in their number, and later in an id not seen before. */
  function noticeOthers(servers) {
    const ids = new Set(servers.map((server) => server.server_id));
    const gone = [...(all ?? rows.keys())].some((id) => !ids.has(id));
    const came = all ? [...ids].some((id) => !all.has(id)) : ids.size !== Number(table.dataset.servers);
    if (gone || came) document.querySelector("[data-list-changed]").hidden = false;
    all = ids;
  }
}

function nameOf(row) {
  return row.querySelector(".server-name a").textContent.trim();
}

function tell(changed) {
  const named = changed.slice(0, NAMED).join(", ");
  const more = changed.length - NAMED;
  const news = document.querySelector("[data-server-news]");
  news.textContent = more > 0 ? `${named}, and ${more} more changed` : `${named}.`;
}

function showNewest(generatedAt) {
  const time = document.querySelector("time[data-age=newest]");
  if (time && generatedAt) time.dateTime = generatedAt;
}

function failureOf(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Object.assign(new Error(`answered ${response.status}`), { retryAfterMs: seconds * 1000 || 0 });
}

/** What moves by itself can be stopped (WCAG 2.2.2). */
function addPause(updates) {
  const button = document.querySelector("[data-pause]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const paused = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(paused));
    if (paused) updates.pause();
    else updates.resume();
  });
}
