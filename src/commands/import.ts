import path from "node:path";
import { Option } from "commander";
import type { Knex } from "knex";
import { COMMAND } from "../db/audit-queries.ts";
import type { Db } from "../db/connect.ts";
import { requireMigrated } from "../db/open.ts";
import {
  type ImportOptions,
  type ImportOptionValues,
  importOptions,
  parseCurrency,
  parseDelimiter,
  parseList,
  parseMapAxes,
  parseNull,
  parseSourceName,
} from "../exchange/import/arguments.ts";
import { explainFailure, listenForInterruption } from "../exchange/import/failure.ts";
import { importRecords } from "../exchange/import/import-records.ts";
import { FORMATS, readRecords } from "../exchange/import/input/formats.ts";
import { watchForLists } from "../exchange/import/input/json.ts";
import { type InputSource, openInput } from "../exchange/import/input/source.ts";
import { type ImportKind, importKinds } from "../exchange/import/kinds.ts";
import { type Aliases, readAliases } from "../exchange/import/records/aliases.ts";
import { parseIdSources } from "../exchange/import/records/mapping.ts";
import { figureOptions, readCodes } from "../exchange/import/records/vocabulary-options.ts";
import {
  createProgressView,
  describeInvalid,
  describeSummary,
  ImportRefusedError,
  type ImportSummary,
  summaryJson,
} from "../exchange/import/report.ts";
import type { DecimalComma } from "../records/figures.ts";
import {
  type CollectOptions,
  collectPictures,
  type Pictures,
  PicturesRefusedError,
} from "../records/pictures/collect.ts";
import { createPictureStore } from "../records/pictures/store.ts";
import { UsageError } from "../settings/usage-error.ts";
import { lazyText, translateText } from "../words/i18n/lazy-text.ts";
import { GAME_CODES } from "../words/text/game-codes.ts";
import { readSiteVocabulary } from "../words/vocabulary/live.ts";
import { registerOwnKinds } from "../words/vocabulary/own-kinds.ts";
import type { VocabularyFile } from "../words/vocabulary/schema.ts";
import { type Call, Command, type CommandContext, makesDatabase, typedPath } from "./command.ts";
import { prepareOwnKinds } from "./prepare-own-kinds.ts";

/** The file is a path, or "-" for standard input. */
type ImportCall = Call<ImportOptionValues, [kind: ImportKind, file: string]>;

export const importCommand = new Command("import")
  .argument("<kind>", `${importKinds().join(", ")}, or a kind of your own`)
  .argument("<file>", "a JSON array, NDJSON or CSV, recognised by its content, gzip too; - is standard input")
  .optionsGroup("What the fields are called:")
  .option("--map <target=source>", "fill a field of ours from the file's; may be repeated", collect(String))
  .option("--id-from <a,b>", "make ids from these fields, where the file has none", parseIdSources)
  .option("--keep-rest", "keep every other field in the attributes")
  .option(
    "--null <[field=]value>",
    'a value that means "nothing", such as -1; may be repeated',
    collect(parseNull),
  )
  .addOption(
    new Option("--strip-codes <game>", "leave out the codes for colours that the game has in texts").choices(
      GAME_CODES,
    ),
  )
  .option("--aliases <file>", "other names to find entries by: pairs of id or name, and alias")
  .option(
    "--images <folder>",
    "pictures of the records, in a folder or a ZIP archive, named by id, or by the field that --map image= names",
  )
  .option("--currency <code>", "the currency of donate items that name none, such as EUR", parseCurrency)
  .option(
    "--axes <east,north>",
    "which axes make the map, and which way they grow: x,-z for Minecraft; x,y unless said",
    parseMapAxes,
  )
  .optionsGroup("How the file is read:")
  .addOption(new Option("--format <format>", "instead of by content").choices(FORMATS))
  .option(
    "--delimiter <char>",
    'of a CSV file, instead of by its first line ("tab" for a tab)',
    parseDelimiter,
  )
  .option(
    "--records <keys>",
    "the records are a list in a JSON object, at these keys (data.items)",
    parseList,
  )
  .optionsGroup("What is done:")
  .option("--dry-run", "show what would change, write nothing")
  .option("--skip-invalid", "take the valid records of a file that has others too")
  .option("--prune", "remove records that the file does not have; not more than half of them without --force")
  .option("--force", "remove as many as there are, with --prune")
  .option(
    "--source <name>",
    "whose file this is; --prune then removes only records that this source imported last",
    parseSourceName,
  )
  .addOption(makesDatabase())
  .option("--quiet", "no progress and no warnings")
  .option("--json", "the summary as JSON")
  .notes(`
Records are found again by their id: new ones are added, changed ones updated, the rest left alone.
All of a file is taken or, if anything is wrong with it, nothing.

What --map can say; a field that has our name needs none
      name=title            a field                        names.ru=name.ru          one inside another
      category=tags.0       the first of a list            category==Weapons         always this text
      name=title|label      the first that has a value     address={ip}:{port}       several joined
      attributes.speed=max  one attribute                  description=              left empty
      category.ru=type_ru   a category in a language       attributes.rarity.ru=r_ru a value in a language

Exit code: 0 done, 1 nothing was written, 2 the call makes no sense.
`)
  .does(async (call: ImportCall) => {
    const { words, options, context } = call;
    const vocabulary = requireKind(words[0], context);
    const numbers = { comma: "no" as DecimalComma };
    const settings = {
      ...importOptions(words[0], { stripCodes: readCodes(vocabulary, words[0]), ...options }),
      figures: figureOptions(words[0], vocabulary, numbers),
    };
    const source = await openInput(typedPath(words[1], context), context.stdin);
    const db = await openReady(call, vocabulary);
    const interruption = listenForInterruption();
    try {
      const onComma = (comma: DecimalComma) => Object.assign(numbers, { comma });
      return await importSource(call, settings, { source, onComma }, db, interruption.signal);
    } finally {
      interruption.stop();
    }
  });

/** Opens the database. If it cannot be used, `--json` prints the reason, too. */
async function openReady(
  { words, options, context }: ImportCall,
  vocabulary: VocabularyFile | undefined,
): Promise<Knex> {
  try {
    const db = await context.db({ create: options.yes ?? false });
    await requireMigrated(db);
    await prepareOwnKinds(vocabulary, db, context.err);
    return db;
  } catch (error) {
    const reason = translateText(explainFailure(error) ?? (error as Error).message);
    if (options.json) context.out(summaryJson(words[1], undefined, reason));
    throw error;
  }
}

/** @throws UsageError for what is no kind, also not one of the operator's vocabulary, which is returned */
function requireKind(word: string, { config }: CommandContext): VocabularyFile | undefined {
  const vocabulary = readSiteVocabulary(config.siteSchema);
  registerOwnKinds(vocabulary ?? {});
  const kinds: string[] = importKinds();
  if (!kinds.includes(word))
    throw new UsageError(`there is no kind "${word}"; there are ${kinds.join(", ")}`);
  return vocabulary;
}

/** For an option that may be repeated: a list of parsed values. */
function collect<T>(parse: (text: string) => T) {
  return (text: string, earlier: T[] = []): T[] => [...earlier, parse(text)];
}

async function importSource(
  call: ImportCall,
  settings: ImportOptions,
  { source, onComma }: { source: InputSource; onComma: (comma: DecimalComma) => void },
  db: Db,
  signal: AbortSignal,
): Promise<number> {
  const { words, options, context } = call;
  const { show, stop } = createProgressView({ ...context, quiet: options.quiet ?? false }, source);
  const { format, delimiter, records: list } = options;
  const fileWarnings: string[] = [];
  const warn = (warning: string) => void fileWarnings.push(warning);
  const { records, advice } = watchForLists(
    readRecords(source.bytes(signal), { format, delimiter, list, warn, onComma }),
  );
  const started = performance.now();
  try {
    const aliases = await openAliases(call, signal);
    const onProgress = (files: number) => show({ phase: "pictures", records: files });
    const dryRun = options.dryRun ?? false;
    const pictures = await openPictures(call, db, { dryRun, signal, onProgress, warn });
    const given = { ...(aliases && { aliases }), ...(pictures && { pictures }) };
    const origin = { source: options.source, file: words[1] === "-" ? undefined : path.basename(words[1]) };
    const everything = { ...settings, ...given, signal, onProgress: show, by: COMMAND, origin };
    const summary = await importRecords(db, words[0], records, everything).finally(stop);
    const warnings = [...fileWarnings, ...summary.warnings];
    // Making pictures takes most of the time.
    printSummary(call, { ...summary, warnings, seconds: (performance.now() - started) / 1000 });
    return 0;
  } catch (error) {
    const code = printFailure(call, error);
    const hint = error instanceof ImportRefusedError ? advice() : undefined;
    if (hint !== undefined) context.err(translateText(lazyText("refusals.perhaps", { advice: hint })));
    return code;
  }
}

/** @throws PicturesRefusedError for files that cannot be used, unless --skip-invalid leaves them out */
async function openPictures(
  { options, context }: ImportCall,
  db: Db,
  { warn, ...collecting }: CollectOptions & { readonly warn: (warning: string) => void },
): Promise<Pictures | undefined> {
  if (options.images === undefined) return undefined;
  const store = createPictureStore(context.config, db);
  const { pictures, refused, misnamed } = await collectPictures(
    typedPath(options.images, context),
    store,
    collecting,
  );
  if (misnamed.length > 0) warn(`pictures whose names say another type were taken: ${firstOf(misnamed)}`);
  if (refused.length === 0) return pictures;
  for (const { name, reason } of refused.slice(0, REFUSED_SHOWN)) context.err(`${name}: ${reason}`);
  if (refused.length > REFUSED_SHOWN) context.err(`and ${refused.length - REFUSED_SHOWN} more`);
  if (!options.skipInvalid) throw new PicturesRefusedError(refused.length, refused.length + pictures.count);
  return pictures;
}

const NAMED_AT_MOST = 5;

function firstOf(lines: readonly string[]): string {
  const more = lines.length > NAMED_AT_MOST ? `, and ${lines.length - NAMED_AT_MOST} more` : "";
  return lines.slice(0, NAMED_AT_MOST).join(", ") + more;
}

/** Lines for files that cannot be used. */
const REFUSED_SHOWN = 50;

async function openAliases(
  { words, options, context }: ImportCall,
  signal: AbortSignal,
): Promise<Aliases | undefined> {
  if (options.aliases === undefined) return undefined;
  if (options.aliases === "-" && words[1] === "-")
    throw new UsageError("only one file can be standard input");
  const source = await openInput(typedPath(options.aliases, context), context.stdin);
  return readAliases(readRecords(source.bytes(signal)));
}

function printSummary({ words, options, context: { out, err } }: ImportCall, summary: ImportSummary): void {
  printErrors(summary, options, err);
  if (options.json) out(summaryJson(words[1], summary));
  else for (const line of describeSummary(summary)) out(line);
}

function printErrors(
  summary: ImportSummary,
  { quiet }: ImportOptionValues,
  err: (line: string) => void,
): void {
  for (const line of describeInvalid(summary)) err(translateText(line));
  if (!quiet) for (const warning of summary.warnings) err(`warning: ${translateText(warning)}`);
}

/** Prints failures of the file, the operator or the database in a line; throws bugs on. */
function printFailure({ words, options, context: { out, err } }: ImportCall, error: unknown): number {
  const summary = error instanceof ImportRefusedError ? error.summary : undefined;
  const failure = explainFailure(error);
  if (failure === undefined) throw error;
  const reason = translateText(failure);
  if (summary) printErrors(summary, options, err);
  err(`Nothing was written: ${reason}${reason.endsWith("?") ? "" : "."}`);
  if (options.json) out(summaryJson(words[1], summary, reason));
  return 1;
}
