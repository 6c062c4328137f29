import { statfs } from "node:fs/promises";
import {
  type BackupState,
  backupTrouble,
  readBackupState,
  readFailedCommand,
} from "../../db/backup-state-queries.ts";
import type { Db } from "../../db/connect.ts";
import { LATE_S, readQueueState } from "../../db/jobs.ts";
import { readStored } from "../../db/site-settings-queries.ts";
import { formatCount } from "../../exchange/import/report.ts";
import { checkSmtp } from "../../notifications/mail/smtp.ts";
import { countDead } from "../../notifications/operator-queries.ts";
import { lastPollIfLate, listUnheardServers } from "../../servers/poller/queries.ts";
import type { Config } from "../../settings/config.ts";
import { counted } from "../../settings/counted.ts";
import { installationSecret, withoutPassword } from "../../settings/secrets.ts";
import { withStored } from "../../settings/stored.ts";
import { listFirst } from "../../words/text/cut.ts";
import { paths } from "../../words/urls.ts";
import { countPolledServers } from "../metrics/queries.ts";
import { bad, durationText, type Finding, ok, sizeText, warn } from "./finding.ts";
import { countRecords, listLargestTables, readLetterState, readPlayers, readServerState } from "./queries.ts";

const ANSWER_MS = 5_000;
/** Room that the database and the search indexes need to go on. */
const SPACE_LOW = 1e9;
const CONNECTIONS_HIGH = 0.9;
/** No part of the site keeps a transaction open for so long, large imports aside. */
const TRANSACTION_LONG_S = 600;
const NAMED = 3;
/** Characters of an answer. */
const SHOWN = 300;

/** Whether the site answers at its address on this machine. */
export async function checkSite(site: string): Promise<Finding> {
  const url = site + paths.readiness();
  const began = performance.now();
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const ms = Math.round(performance.now() - began);
    if (answer.ok) return ok(`the site is ready at ${site} (${ms} ms)`);
    return bad(`the site is not ready: ${(await answer.text()).trim().slice(0, SHOWN)}`);
  } catch (error) {
    return bad(`the site does not answer at ${site}: ${describeReason(error)}`);
  }
}

function describeReason(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

/** The room that is left where the data directory is. */
export async function checkSpace({ dataDir }: Pick<Config, "dataDir">): Promise<Finding[]> {
  const found = await statfs(dataDir).catch(() => undefined);
  if (!found) return [];
  const free = found.bavail * found.bsize;
  return [[free < SPACE_LOW ? "warn" : "ok", `${sizeText(free)} are free at ${dataDir}`]];
}

/** The database server: whether it takes writes, and what is in its way. */
export async function checkServer(db: Db): Promise<Finding[]> {
  const state = await readServerState(db);
  const { connections, maxConnections, oldestTransactionS, blocked } = state;
  const used = `${connections} of ${maxConnections} connections`;
  return [
    state.isReadOnly
      ? bad(
          `Postgres ${state.version} refuses writes: it is a standby, or default_transaction_read_only is on`,
        )
      : ok(`Postgres ${state.version}`),
    [
      connections > maxConnections * CONNECTIONS_HIGH ? "warn" : "ok",
      `the database takes ${sizeText(state.bytes)}; ${used} are in use`,
    ],
    ...(oldestTransactionS > TRANSACTION_LONG_S
      ? [warn(`a transaction has been open for ${durationText(oldestTransactionS)}`)]
      : []),
    ...(blocked > 0 ? [warn(`queries that wait for a lock: ${blocked}`)] : []),
  ];
}

/** Whether the database knows the letters of all languages. */
export async function checkLetters(db: Db): Promise<Finding[]> {
  const { encoding, ctype, foldsLetters, sortsNames } = await readLetterState(db);
  if (encoding !== "UTF8") {
    return [
      bad(`the database's encoding is ${encoding}: the site needs one that was created with encoding 'UTF8'`),
    ];
  }
  const findings: Finding[] = [];
  if (!foldsLetters) {
    findings.push(
      warn(
        `the database's ctype ${ctype} knows upper and lower case in ASCII only: searches are not affected, but e-mail addresses with other letters are only recognised in the case they were saved in; locale 'C.UTF-8' knows all`,
      ),
    );
  }
  if (!sortsNames) {
    findings.push(warn("Postgres was built without ICU: lists sort names by code point, É after Z"));
  }
  return findings.length > 0 ? findings : [ok("the database knows the letters of all languages")];
}

/** Whether the mail server takes mail from this site; none is sent. */
export async function checkMail({ mail }: Pick<Config, "mail">): Promise<Finding> {
  if (mail.kind === "none") return warn("SMTP_URL is not set: the site sends no e-mail");
  if (mail.kind === "files") return ok(`e-mails are written to ${mail.directory}`);
  const server = withoutPassword(mail.url);
  try {
    await checkSmtp(mail);
    return ok(`the mail server ${server} takes mail`);
  } catch (error) {
    return bad(`the mail server ${server} takes no mail: ${describeReason(error)}`);
  }
}

/** The settings with those that operators saved in the browser, whose names are in the finding. */
export async function readEffective(db: Db, config: Config): Promise<{ config: Config; finding: Finding }> {
  const secret = config.sessionSecret ?? installationSecret(config.dataDir);
  const { stored } = await readStored(db, secret);
  const names = Object.keys(stored).filter((name) => config.given[name] === undefined);
  const text = `settings saved at ${paths.operatorSite()}: ${names.join(", ") || "none"}`;
  return { config: withStored(config, stored), finding: ok(text) };
}

/** Whether jobs are done, and messages delivered. */
export async function checkJobs(db: Db): Promise<Finding[]> {
  const { due, lateS, givenUp } = await readQueueState(db);
  const dead = await countDead(db);
  const minutes = Math.round(lateS / 60);
  const findings: Finding[] = [
    lateS > LATE_S
      ? warn(`${counted(due, "job")} due, the oldest for ${minutes} min: run serve with WORKER=1, or worker`)
      : ok(`jobs are done in time (${due} due)`),
  ];
  if (givenUp > 0) findings.push(warn(`${counted(givenUp, "job")} given up within a week: the log says why`));
  if (dead > 0) {
    findings.push(warn(`${counted(dead, "notification")} not delivered: ${paths.operatorDeliveries()}`));
  }
  return findings;
}

/** Whether the servers that are to be polled are, and answer. */
export async function checkPoller(db: Db): Promise<Finding[]> {
  const { silent, refused } = await listUnheardServers(db);
  const findings: Finding[] = [];
  if (refused.length > 0) {
    findings.push(
      warn(
        `${counted(refused.length, "server")} not polled, as the address is not on the Internet: ${listFirst(refused, NAMED)}; PRIVATE_ADDRESSES opens addresses of your own network`,
      ),
    );
  }
  const late = await lastPollIfLate(db);
  if (late) findings.push(warn(`no server has been polled for ${age(late)}: run serve with POLL=1, or poll`));
  else if (silent.length > 0) {
    const names = listFirst(silent, NAMED);
    findings.push(warn(`${counted(silent.length, "polled server")} offline for a day: ${names}`));
  }
  if (findings.length > 0) return findings;
  const polled = (await countPolledServers(db)).reduce((sum, { count }) => sum + count, 0);
  return [ok(polled === 0 ? "no server is to be polled" : `servers are polled: ${polled}`)];
}

/** Whether the backups that the site writes by itself are good and young, and whether the last by the command failed. */
export async function checkBackups(db: Db): Promise<Finding[]> {
  const failed = await readFailedCommand(db, new Date());
  const scheduled = await checkScheduledBackup(await readBackupState(db));
  if (!failed) return [scheduled];
  const { at, file, reason } = failed;
  return [
    scheduled,
    warn(`the last backup by command, to ${file}, failed ${age(new Date(at))} ago: ${reason}`),
  ];
}

async function checkScheduledBackup(state: BackupState | undefined): Promise<Finding> {
  if (!state) return ok("no backup has been written by schedule (BACKUP_DIR)");
  const trouble = await backupTrouble(state, new Date());
  if (trouble?.what === "failed") {
    return warn(`the last scheduled backup failed ${age(trouble.at)} ago: ${trouble.reason}`);
  }
  if (trouble?.what === "missing") return warn(`the last scheduled backup is missing: ${state.file}`);
  if (trouble) return warn(`the last good backup is ${age(trouble.at)} old`);
  if (state.doneAt === undefined) return ok("the first scheduled backup is being written");
  return ok(`the last scheduled backup is ${age(new Date(state.doneAt))} old: ${state.file}`);
}

function age(at: Date): string {
  return durationText((Date.now() - at.getTime()) / 1000);
}

/** What the site holds, and what of it takes the most room. */
export async function describeContent(db: Db): Promise<Finding[]> {
  const { players, online, servers } = await readPlayers(db);
  const records = await countRecords(db);
  const tables = await listLargestTables(db, NAMED);
  const counts = records.map(({ kind, count }) => `${kind} ${formatCount(count)}`);
  const sizes = tables.map(({ name, bytes }) => `${name} ${sizeText(bytes)}`);
  return [
    ok(`${formatCount(players)} players on ${online} of ${servers} servers`),
    ok(`records: ${counts.join(", ") || "none"}`),
    ok(`largest tables: ${sizes.join(", ")}`),
  ];
}
