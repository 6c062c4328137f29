/** Announces to screen readers which servers came and went, at most once a minute. */
import { words } from "./language.ts";

const QUIET_MS = 60_000;
/** More changes at once are announced as a number. */
const NAMED = 3;

interface Change {
  name: string;
  before: string | undefined;
  status: string | undefined;
}

/** Notes the change of a server's status. */
export type Note = (id: string, name: string, before: Change["before"], status: Change["status"]) => void;

/** `place` is a live region. */
export function newsIn(place: Element): Note {
  /** Unannounced changes by server: the last announced status and the current one. */
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
