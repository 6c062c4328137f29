/**
 * Keeps the list of servers true while it is open: puts what changed into the rows. Nothing is sorted anew under the
 * reader's eyes. Without this script a reload does the same.
 */
import { showAges } from "./servers-ages.ts";
import { followServers, type LiveParts, swapParts } from "./servers-live.ts";
import { type Note, newsIn } from "./servers-news.ts";

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

  // The rows were replaced, and may be older than the newest parts.
  document.addEventListener("list:shown", (event) => {
    all = undefined;
    const { askedAt } = (event as CustomEvent<{ askedAt: number }>).detail;
    if (latest && latest.askedAt > askedAt) showLive(latest);
    else showAges();
  });

  /** A filtered list lacks servers by right: that one came shows in their number, and later in an id not seen before. */
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

/** Puts in what changed. `note` is told of each row whose server has another status than it had. */
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

/** By the server's id. */
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
