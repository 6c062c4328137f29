/**
 * Keeps the list of servers true while it is open: writes what changed into the rows. Nothing is sorted anew under the
 * reader's eyes. Without this script a reload does the same.
 */
import { followServers, isOutdated, showNewest } from "./servers-current.js";
import { words } from "./servers-language.js";
import { newsIn } from "./servers-news.js";
import { showOutdated, showServer } from "./servers-row.js";
import { totalsOf, totalsText } from "./servers-words.js";

const table = document.querySelector("[data-servers]");
if (table) keepTrue();

function keepTrue() {
  const rows = new Map(
    [...table.querySelectorAll("[data-server-id]")].map((row) => [row.dataset.serverId, row]),
  );
  const news = newsIn(document.querySelector("[data-server-news]"));
  let all;

  followServers(({ generated_at: generatedAt, servers }) => {
    for (const server of servers) {
      const row = rows.get(server.server_id);
      server.outdated = isOutdated(server, row);
      if (row) showRow(row, server);
    }
    showNewest(generatedAt);
    document.querySelector("[data-totals]").textContent = totalsText(totalsOf(servers), words);
    noticeOthers(servers);
  });

  function showRow(row, server) {
    const before = row.dataset.status;
    showServer(row, server);
    if (before !== server.status) news.note(server.server_id, nameOf(row), before, server.status);
    showOutdated(row, server, server.outdated);
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
