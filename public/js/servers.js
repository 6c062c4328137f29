/**
 * Keeps the list of servers true while it is open: puts what changed into the rows. Nothing is sorted anew under the
 * reader's eyes. Without this script a reload does the same.
 */
import { showAges } from "./servers-ages.js";
import { followServers, swapParts } from "./servers-live.js";
import { newsIn } from "./servers-news.ts";

const newsPlace = document.querySelector("[data-server-news]");
if (newsPlace) keepTrue();

function keepTrue() {
  const news = newsIn(newsPlace);
  /** The newest parts, and the ids of all servers in them. */
  let latest;
  let all;

  followServers((live) => {
    latest = live;
    showLive(news.note);
    noticeOthers();
  });

  // The rows were replaced, and may be older than the newest parts.
  document.addEventListener("list:shown", ({ detail }) => {
    all = undefined;
    if (latest?.askedAt > detail.askedAt) showLive(() => undefined);
    else showAges();
  });

  /** `note` is told of each row whose server has another status than it had. */
  function showLive(note) {
    const rows = new Map(rowsIn(document).map((row) => [row.dataset.serverId, row]));
    for (const { dataset } of rowsIn(latest.parts)) {
      const row = rows.get(dataset.serverId);
      if (!row || row.dataset.status === dataset.status) continue;
      note(dataset.serverId, nameOf(row), row.dataset.status, dataset.status);
      row.dataset.status = dataset.status;
    }
    swapParts(latest);
  }

  /** A filtered list lacks servers by right: that one came shows in their number, and later in an id not seen before. */
  function noticeOthers() {
    const table = document.querySelector("[data-servers]");
    if (!table) return;
    const ids = new Set(idsIn(latest.parts));
    const known = all ?? idsIn(document);
    const gone = [...known].some((id) => !ids.has(id));
    const came = all ? [...ids].some((id) => !all.has(id)) : ids.size !== Number(table.dataset.servers);
    if (gone || came) document.querySelector("[data-list-changed]").hidden = false;
    all = ids;
  }
}

function rowsIn(root) {
  return [...root.querySelectorAll("[data-server-id]")];
}

function idsIn(root) {
  return rowsIn(root).map((row) => row.dataset.serverId);
}

function nameOf(row) {
  return row.querySelector(".server-name a").textContent.trim();
}
