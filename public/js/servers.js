/**
 * Keeps the list of servers true while it is open: writes what changed into the rows. Nothing is sorted anew under the
 * reader's eyes. Without this script a reload does the same.
 */
import { showAges } from "./servers-ages.js";
import { followServers, isOutdated, showNewest } from "./servers-current.js";
import { words } from "./servers-language.js";
import { newsIn } from "./servers-news.js";
import { showOutdated, showServer } from "./servers-row.js";
import { totalsOf, totalsText } from "./servers-words.js";

const newsPlace = document.querySelector("[data-server-news]");
if (newsPlace) keepTrue();

function keepTrue() {
  const news = newsIn(newsPlace);
  /** The newest answer, and the ids of all servers in it. */
  let latest;
  let all;

  followServers((answer) => {
    latest = answer;
    showAnswer(news.note);
    noticeOthers(answer.servers);
  });

  // Other rows are here: they are as of when they were asked for, and the newest answer may be of later.
  document.addEventListener("list:shown", () => {
    const newest = document.querySelector("[data-servers]")?.dataset.newest;
    all = undefined;
    if (latest && !(Date.parse(newest) > Date.parse(latest.generated_at))) showAnswer(() => undefined);
    else showNewest(newest);
    showAges();
  });

  /** `note` is told of each row whose server has another status than it had. */
  function showAnswer(note) {
    const { generated_at: generatedAt, servers } = latest;
    const rows = new Map(rowsOfList().map((row) => [row.dataset.serverId, row]));
    for (const server of servers) {
      const row = rows.get(server.server_id);
      server.outdated = isOutdated(server, row);
      if (row) showRow(row, server, note);
    }
    showNewest(generatedAt);
    document.querySelector("[data-totals]").textContent = totalsText(totalsOf(servers), words);
  }

  /** A filtered list lacks servers by right: that one came shows in their number, and later in an id not seen before. */
  function noticeOthers(servers) {
    const table = document.querySelector("[data-servers]");
    if (!table) return;
    const ids = new Set(servers.map((server) => server.server_id));
    const known = all ?? rowsOfList().map((row) => row.dataset.serverId);
    const gone = [...known].some((id) => !ids.has(id));
    const came = all ? [...ids].some((id) => !all.has(id)) : ids.size !== Number(table.dataset.servers);
    if (gone || came) document.querySelector("[data-list-changed]").hidden = false;
    all = ids;
  }
}

function rowsOfList() {
  return [...document.querySelectorAll("[data-servers] [data-server-id]")];
}

function showRow(row, server, note) {
  const before = row.dataset.status;
  showServer(row, server);
  if (before !== server.status) note(server.server_id, nameOf(row), before, server.status);
  showOutdated(row, server, server.outdated);
}

function nameOf(row) {
  return row.querySelector(".server-name a").textContent.trim();
}
