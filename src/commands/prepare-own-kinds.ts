import path from "node:path";
import type { Knex } from "knex";
import type { Logger } from "pino";
import {
  findKindMistakes,
  kindMistakeText,
  listStoredKinds,
  makeKindTables,
  type StoredKind,
} from "../db/own-kinds.ts";
import type { Config } from "../settings/config.ts";
import { ConfigError } from "../settings/sources.ts";
import { OTHER_SECTIONS, setHiddenSections } from "../words/kinds/hidden-sections.ts";
import { BUILT_IN_KINDS } from "../words/kinds/kinds.ts";
import { LiveVocabulary } from "../words/vocabulary/live.ts";
import { readOwnKinds, registerOwnKinds } from "../words/vocabulary/own-kinds.ts";
import type { VocabularyFile } from "../words/vocabulary/schema.ts";

/** The path of a copy of the last vocabulary without mistakes. */
export function lastGoodVocabulary({ dataDir }: Pick<Config, "dataDir">): string {
  return path.join(dataDir, "site.last-good.json");
}

/**
 * Opens the operator's vocabulary for a long-running process: registers its kinds, creates their tables and applies
 * `SECTIONS_OFF`. If the file has mistakes, it uses the last good one; the log and the operators' page report it.
 * @throws ConfigError with a line for each mistake, if there is no good one, or for an unknown section
 */
export async function openVocabulary(
  config: Pick<Config, "siteSchema" | "dataDir" | "sectionsOff" | "given">,
  { db, log, err }: { readonly db: Knex; readonly log: Logger; readonly err: (line: string) => void },
): Promise<LiveVocabulary> {
  setHiddenSections(config.sectionsOff);
  const vocabulary = new LiveVocabulary({
    ...config.siteSchema,
    lastGood: lastGoodVocabulary(config),
    findKindMistakes: (kinds) => findKindMistakes(db, kinds),
    log,
  });
  await vocabulary.confirm();
  const unknown = findUnknownSection(config, vocabulary.file);
  if (unknown !== undefined) throw new ConfigError(unknown);
  await prepareOwnKinds(vocabulary.file, db, err, { isSite: true });
  return vocabulary;
}

/**
 * Registers the kinds of the operator's vocabulary in this process, and creates missing tables.
 * @throws DatabaseSetupError if the database has no room for one of them
 */
export async function prepareOwnKinds(
  file: VocabularyFile | undefined,
  db: Knex,
  err: (line: string) => void,
  { isSite = false } = {},
): Promise<void> {
  const made = await makeKindTables(db, registerOwnKinds(file ?? {}));
  // A site that runs learnt its kinds when it started.
  const from = isSite ? "" : " once the site is started again";
  for (const kind of made) err(`There is a new kind: ${kind}, at /${kind}${from}.`);
}

/** A line for the first section in the environment's `SECTIONS_OFF` that the site lacks; undefined without one. */
export function findUnknownSection(
  { given, sectionsOff }: Pick<Config, "given" | "sectionsOff">,
  file: VocabularyFile | undefined,
): string | undefined {
  // Operators may have saved one before they removed its kind.
  if (given.SECTIONS_OFF === undefined) return undefined;
  const own = readOwnKinds(file ?? {}).map(({ kind }) => kind);
  const known = [...BUILT_IN_KINDS, ...own, ...OTHER_SECTIONS];
  const unknown = sectionsOff.find((section) => !known.includes(section));
  return unknown && `SECTIONS_OFF: has ${unknown}, which is none of ${known.join(", ")}`;
}

/** Warnings about a vocabulary's kinds against the database. */
export interface KindFindings {
  /** Why the site would not start with it, a line each. */
  readonly mistakes: readonly string[];
  /** A line for each kind that has a table and is not in the vocabulary. */
  readonly forgotten: readonly string[];
}

/** Compares a vocabulary's kinds with the database, and makes those known that have tables: it makes none. */
export async function checkKinds(file: VocabularyFile, db: Knex): Promise<KindFindings> {
  const [kinds, stored] = [readOwnKinds(file), await listStoredKinds(db)];
  registerOwnKinds(file, ({ kind, one }) => stored.some((each) => each.kind === kind && each.one === one));
  return {
    mistakes: (await findKindMistakes(db, kinds)).map(kindMistakeText),
    forgotten: stored.filter(({ kind }) => !kinds.some((known) => known.kind === kind)).map(tellForgotten),
  };
}

function tellForgotten({ kind }: StoredKind): string {
  return `the vocabulary has no kind ${kind} any more: its entries are kept but not shown; "vocabulary drop ${kind}" removes them`;
}
