/** Tells a screen reader which servers came and went: a summary, and no more than one a minute. */
import { words } from "./servers-language.ts";

const QUIET_MS = 60_000;
/** More changes than these at once are told by their number. */
const NAMED = 3;

interface Change {
  name: string;
  before: string | undefined;
  status: string | undefined;
}

/** Takes in that a server's status has changed. */
export type Note = (id: string, name: string, before: Change["before"], status: Change["status"]) => void;

/** What is told stands in `place`, a live region. */
export function newsIn(place: Element): Note {
  /** What is not told yet, by server: the status that was told last, and the one of now. */
  const changes = new Map<string, Change>();
  let quietUntil = 0;
  let timer: number | undefined;

  function announce() {
    if (changes.size === 0) return;
    place.textContent = newsText([...changes.values()]);
    changes.clear();
    quietUntil = Date.now() + QUIET_MS;
  }

  return (id, name, before, status) => {
    const since = changes.get(id)?.before ?? before;
    if (since === status) changes.delete(id);
    else changes.set(id, { name, before: since, status });
    clearTimeout(timer);
    timer = window.setTimeout(announce, Math.max(0, quietUntil - Date.now()));
  };
}

function newsText(changes: Change[]): string {
  const named = changes.slice(0, NAMED).map(changeText).join(", ");
  const more = changes.length - NAMED;
  return more > 0
    ? words.t("script.servers.news.more", { count: more, figure: words.number(more), named })
    : words.t("script.servers.news.sentence", { named });
}

function changeText({ name, status }: Change): string {
  if (status === "online") return words.t("script.servers.news.online", { name });
  if (status === "offline") return words.t("script.servers.news.offline", { name });
  return words.t("script.servers.news.unknown", { name });
}
