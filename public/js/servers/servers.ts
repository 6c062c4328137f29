/**
 * Keeps the list of servers current while it is open. Updates rows in place, and never sorts them in front of the
 * reader. Without scripts, a reload does the same.
 */
import { showAges } from "./ages.ts";
import { followServers, type LiveParts, swapParts } from "./live.ts";
import { type Note, newsIn } from "./news.ts";

const newsPlace = document.querySelector("[data-server-news]");
if (newsPlace) keepTrue(newsIn(newsPlace));

function keepTrue(note: Note) {
  let latest: LiveParts | undefined;
  /** The ids of all servers in the newest parts. */
  let all: Set<string> | undefined;

  followServers((live) => {
    latest = live;
    showLive(live, note);
    noticeOthers(live.parts);
  });

  // The rows were replaced, and may be older than the latest parts.
  document.addEventListener("list:shown", (event) => {
    all = undefined;
    const { askedAt } = (event as CustomEvent<{ askedAt: number }>).detail;
    if (latest && latest.askedAt > askedAt) showLive(latest);
    else showAges();
  });

  /** A filtered list lacks some servers: new ones show in the total, and later as unseen ids. */
  function noticeOthers(parts: Document) {
    const table = document.querySelector<HTMLElement>("[data-servers]");
    if (!table) return;
    const [ids, known] = [idsIn(parts), all];
    const gone = [...(known ?? idsIn(document))].some((id) => !ids.has(id));
    const came = known ? [...ids].some((id) => !known.has(id)) : ids.size !== Number(table.dataset.servers);
    if (gone || came) (document.querySelector("[data-list-changed]") as HTMLElement).hidden = false;
    all = ids;
  }
}

/** Applies changed parts; calls `note` for each row whose status changed. */
function showLive(live: LiveParts, note?: Note) {
  const rows = rowsIn(document);
  for (const [id, { dataset }] of rowsIn(live.parts)) {
    const row = rows.get(id);
    if (!row || row.dataset.status === dataset.status) continue;
    note?.(id, nameOf(row), row.dataset.status, dataset.status);
    row.dataset.status = dataset.status;
  }
  swapParts(live);
}

/** The rows by the server's id. */
function rowsIn(root: ParentNode): Map<string, HTMLElement> {
  const rows = [...root.querySelectorAll<HTMLElement>("[data-server-id]")];
  return new Map(rows.map((row) => [row.dataset.serverId ?? "", row]));
}

function idsIn(root: ParentNode): Set<string> {
  return new Set(rowsIn(root).keys());
}

function nameOf(row: Element): string {
  return (row.querySelector(".server-name a") as Element).textContent.trim();
}
