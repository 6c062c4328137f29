import { existsSync } from "node:fs";
import { access, constants, mkdir } from "node:fs/promises";
import type { Knex } from "knex";
import { hasOperator } from "../accounts/queries.ts";
import { findVocabularyWarnings } from "../catalogue/vocabulary-warnings.ts";
import { createDb } from "../db/connect.ts";
import { pendingMigrations } from "../db/migrate.ts";
import { POOLED_NAME, requirePooler } from "../db/pooler.ts";
import { hasDemoRecords } from "../records/demo-records.ts";
import { type Config, describeConfig } from "../settings/config.ts";
import { counted } from "../settings/counted.ts";
import { findProxyWarning } from "../web/server/client-address.ts";
import { buildUrl } from "../web/server/listen.ts";
import { LANGUAGES } from "../words/i18n/languages.ts";
import { translateText } from "../words/i18n/lazy-text.ts";
import { missingTexts } from "../words/i18n/translate.ts";
import { readVocabularyFile } from "../words/vocabulary/live.ts";
import type { VocabularyFile } from "../words/vocabulary/schema.ts";
import { Command } from "./command.ts";
import { checkKinds, findUnknownSection, lastGoodVocabulary } from "./prepare-own-kinds.ts";
import {
  checkJobs,
  checkLetters,
  checkMail,
  checkPoller,
  checkServer,
  checkSpace,
  readEffective,
} from "./status/checks.ts";
import { bad, type Finding, findingLine, isBad, ok, warn } from "./status/finding.ts";

/** How long a pooler may take to answer. */
const POOLER_MS = 5_000;

export const doctorCommand = new Command("doctor")
  .notes(`
Prints the effective settings (passwords hidden) and one line for each check. Exit code 1 when one of them is bad.
`)
  .does(async ({ context: { config, db, out } }) => {
    for (const [name, value] of Object.entries(describeConfig(config)))
      out(`${name} = ${JSON.stringify(value) ?? "-"}`);
    out("");
    const vocabulary = readOwnVocabulary(config);
    const findings = [
      ...(await checkProcess(config)),
      checkAddress(config),
      ...checkTexts(),
      ...vocabulary.findings,
    ];
    let mail = config;
    try {
      const opened = await db();
      findings.push(
        ...(await checkPooler(config, opened)),
        ...(await checkDatabase(opened, vocabulary.file)),
      );
      const effective = await readEffective(opened, config);
      findings.push(effective.finding);
      mail = effective.config;
    } catch (error) {
      findings.push(bad(`database: ${error instanceof Error ? error.message : error}`));
    }
    findings.push(await checkMail(mail));
    for (const finding of findings) out(findingLine(finding));
    return findings.some(isBad) ? 1 : 0;
  });

async function checkProcess(config: Config): Promise<Finding[]> {
  const directory = await mkdir(config.dataDir, { recursive: true })
    .then(() => access(config.dataDir, constants.W_OK))
    .then(
      () => ok(`data directory ${config.dataDir} can be written`),
      (error) => bad(`data directory ${config.dataDir} cannot be written (${error.code})`),
    );
  return [ok(`Node ${process.versions.node}`), directory, ...(await checkSpace(config))];
}

function checkAddress(config: Config): Finding {
  const { baseUrl, host } = config;
  if (baseUrl === undefined)
    return warn(`BASE_URL is not set: links, feeds and the sitemap name ${host}, which others cannot reach`);
  const doubt = findProxyWarning(config, buildUrl(config));
  return doubt === undefined ? ok(`BASE_URL is ${baseUrl}`) : warn(doubt);
}

function checkTexts(): Finding[] {
  return LANGUAGES.map((language) => {
    const missing = missingTexts(language);
    if (missing.length === 0) return ok(`texts in ${language} are complete`);
    return warn(
      `${counted(missing.length, "text")} missing in ${language}, shown in English: ${missing.join(", ")}`,
    );
  });
}

/** The operator's vocabulary, if there is one without mistakes. */
function readOwnVocabulary(config: Config): { file?: VocabularyFile | undefined; findings: Finding[] } {
  const { file, isRequired } = config.siteSchema;
  const found = (text: string, file?: VocabularyFile) => {
    const unknown = findUnknownSection(config, file);
    const findings: Finding[] = unknown ? [bad(unknown)] : [];
    return { file, findings: [ok(text), ...findings] };
  };
  if (!isRequired && !existsSync(file)) return found("no vocabulary: names are guessed");
  try {
    return found(`the vocabulary ${file} can be used`, readVocabularyFile(file));
  } catch (error) {
    const lines = error instanceof Error ? error.message.split("\n") : [];
    const lastGood = lastGoodVocabulary(config);
    const instead = existsSync(lastGood)
      ? `the site uses the last good one, ${lastGood}`
      : "the site does not start";
    return { findings: [...lines, instead].map((line) => bad(`vocabulary: ${line}`)) };
  }
}

async function checkDatabase(db: Knex, vocabulary: VocabularyFile | undefined): Promise<Finding[]> {
  const findings = [...(await checkServer(db)), ...(await checkLetters(db))];
  const pending = await pendingMigrations(db);
  if (pending.length > 0)
    findings.push(bad(`${counted(pending.length, "migration")} missing: run the command migrate`));
  else findings.push(ok("all migrations are applied"));
  if (pending.length > 0) return findings;
  const { mistakes, forgotten } = await checkKinds(vocabulary ?? {}, db);
  const doubts = vocabulary ? await findVocabularyWarnings(db, vocabulary) : [];
  findings.push(
    ...mistakes.map((line) => bad(`vocabulary: ${line}`)),
    ...forgotten.map(warn),
    ...doubts.map((doubt) => warn(`vocabulary: ${translateText(doubt)}`)),
    ...(await checkContent(db)),
    ...(await checkJobs(db)),
    ...(await checkPoller(db)),
  );
  return findings;
}

/** The pooler that requests go through, if there is one. */
async function checkPooler({ databaseUrl = "", databaseDirectUrl }: Config, db: Knex): Promise<Finding[]> {
  if (databaseDirectUrl === undefined) return [];
  const pooled = createDb({ url: databaseUrl, isPooled: true, poolMax: 1, applicationName: POOLED_NAME });
  try {
    await requirePooler(pooled, db, { log: () => undefined, timeoutMs: POOLER_MS });
    return [ok("requests go through the pooler at DATABASE_URL, all else to DATABASE_DIRECT_URL")];
  } catch (error) {
    return [bad(`pooler: ${error instanceof Error ? error.message : error}`)];
  } finally {
    await pooled.destroy();
  }
}

async function checkContent(db: Knex): Promise<Finding[]> {
  return [
    (await hasOperator(db))
      ? ok("there is an operator")
      : warn("there is no operator: user create <name> --operator"),
    ...((await hasDemoRecords(db)) ? [warn("demo data is on the site: demo remove")] : []),
  ];
}
