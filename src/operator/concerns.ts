import { LATE_S, readQueueState } from "../db/jobs.ts";
import type { AppContext } from "../http/context.ts";
import type { Locale } from "../http/locale.ts";
import { countDead } from "../notifications/operator-queries.ts";
import { lastPollIfLate, listSilentServers } from "./queries.ts";

/** Something that an operator should look at. */
export interface Concern {
  readonly text: string;
  /** For the sentence's <time/>. */
  readonly time?: Date;
  /** Where to look. */
  readonly link?: { readonly href: string; readonly text: string };
}

/** Servers that are named. */
const NAMED = 5;

/** What needs an operator's attention now, the most urgent first. */
export async function findConcerns({ db }: Pick<AppContext, "db">, locale: Locale): Promise<Concern[]> {
  const [queue, dead, lastPoll, silent] = await Promise.all([
    readQueueState(db),
    countDead(db),
    lastPollIfLate(db),
    listSilentServers(db),
  ]);
  const { t, paths } = locale;
  const concerns: Concern[] = [];
  if (queue.lateS > LATE_S) {
    const minutes = Math.round(queue.lateS / 60);
    concerns.push({ text: t("operator.concerns.late_jobs", { count: minutes }) });
  }
  if (queue.givenUp > 0) concerns.push({ text: t("operator.concerns.given_up", { count: queue.givenUp }) });
  if (dead > 0) {
    concerns.push({
      text: t("operator.concerns.dead", { count: dead }),
      link: { href: paths.operatorDeliveries(), text: t("operator.deliveries.title") },
    });
  }
  const servers = { href: paths.servers(), text: t("servers.title") };
  if (lastPoll) concerns.push({ text: t("operator.concerns.not_polled"), time: lastPoll, link: servers });
  else if (silent.length > 0) {
    concerns.push({
      text: t("operator.concerns.silent", { count: silent.length, names: namesText(silent) }),
      link: servers,
    });
  }
  return concerns;
}

function namesText(names: readonly string[]): string {
  return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ", …" : "");
}
