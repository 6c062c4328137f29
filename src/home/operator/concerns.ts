import { backupTrouble, readBackupState, readFailedCommand } from "../../db/backup-state-queries.ts";
import { LATE_S, readQueueState } from "../../db/jobs.ts";
import { countDead } from "../../notifications/operator-queries.ts";
import { countStoppedWebhooks } from "../../notifications/webhooks/delivery-queries.ts";
import { KEPT, listTopCounts } from "../../records/counts/day-counts.ts";
import { lastPollIfLate, listUnheardServers } from "../../servers/poller/queries.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import type { Locale } from "../../web/request/locale.ts";
import { listFirst } from "../../words/text/cut.ts";
import { listStoppedSources } from "./queries.ts";

/** A problem that an operator should look at. */
export interface Concern {
  readonly text: string;
  /** The time for the sentence's <time/>. */
  readonly time?: Date;
  /** The page with details. */
  readonly link?: { readonly href: string; readonly text: string };
}

/** How many servers and searches are listed by name. */
const NAMED = 5;
/** A search that finds nothing once or twice may be a typo. */
const MISSED_OFTEN = 3;
const MISSED_DAYS = 7;

/** The problems that need an operator's attention now, the most urgent first. */
export async function findConcerns(
  { db, vocabulary }: Pick<BaseContext, "db" | "vocabulary">,
  locale: Locale,
): Promise<Concern[]> {
  const [queue, dead, lastPoll, { silent, refused }, stopped, missed, backups, failedCommand, sources] =
    await Promise.all([
      readQueueState(db),
      countDead(db),
      lastPollIfLate(db),
      listUnheardServers(db),
      countStoppedWebhooks(db),
      listTopCounts(db, { prefix: KEPT.missed.prefix, days: MISSED_DAYS, limit: NAMED }),
      readBackupState(db),
      readFailedCommand(db, new Date()),
      listStoppedSources(db),
    ]);
  const { t, format, paths } = locale;
  const concerns: Concern[] = [];
  if (vocabulary.mistakes.length > 0) {
    concerns.push({
      text: t("operator.concerns.vocabulary", { file: vocabulary.path ?? "" }),
      link: { href: paths.operatorVocabulary(), text: t("operator.vocabulary.title") },
    });
  }
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
  if (stopped > 0) {
    concerns.push({
      text: t("operator.concerns.stopped_webhooks", { count: stopped }),
      link: { href: paths.operatorWebhooks(), text: t("webhooks.site.title") },
    });
  }
  if (sources.length > 0) {
    concerns.push({
      text: t("operator.concerns.stopped_sources", { names: listFirst(sources, NAMED) }),
      link: { href: paths.operatorImports(), text: t("imports.title") },
    });
  }
  const backup = await backupTrouble(backups, new Date());
  if (backup) {
    const { what, at: time, reason } = backup;
    const text = t(`operator.concerns.backup_${what}`, { reason, file: backups?.file });
    concerns.push({ text, time });
  }
  if (failedCommand) {
    const { at, ...values } = failedCommand;
    concerns.push({ text: t("operator.concerns.backup_command_failed", values), time: new Date(at) });
  }
  const servers = { href: paths.servers(), text: t("servers.title") };
  if (lastPoll) concerns.push({ text: t("operator.concerns.not_polled"), time: lastPoll, link: servers });
  else if (silent.length > 0) {
    concerns.push({
      text: t("operator.concerns.silent", { count: silent.length, names: listFirst(silent, NAMED) }),
      link: servers,
    });
  }
  if (refused.length > 0) {
    const values = { count: refused.length, names: listFirst(refused, NAMED), code: "PRIVATE_ADDRESSES" };
    concerns.push({ text: t("operator.concerns.refused", values), link: servers });
  }
  const often = missed.filter(({ count }) => count >= MISSED_OFTEN);
  if (often.length > 0) {
    const words = often.map(({ name, count }) =>
      t("operator.concerns.missed_words", { words: name, figure: format.number(count) }),
    );
    concerns.push({ text: t("operator.concerns.missed", { list: words.join(", ") }) });
  }
  return concerns;
}
