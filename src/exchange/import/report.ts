import type * as cliProgress from "cli-progress";
import { lazyPackage } from "../../settings/lazy-package.ts";
import {
  type LazyText,
  lazyText,
  SaidError,
  type Translatable,
  translateText,
} from "../../words/i18n/lazy-text.ts";
import type { Progress } from "./arguments.ts";
import type { InputSource } from "./input/source.ts";
import type { ImportKind } from "./kinds.ts";
import type { FieldError } from "./records/json-values.ts";
import type { Preview, RefusedRecords } from "./storage/queries.ts";

/** What a run did; for a dry run, what it would have done. */
export interface ImportSummary {
  readonly kind: ImportKind;
  readonly dryRun: boolean;
  /** The import's number, if it was recorded and changed something. */
  readonly id?: number | undefined;
  /** Records in the file: the sum of added, changed, unchanged and invalid. */
  readonly records: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Favorites and discounts that were deleted with their records. */
  readonly removedFavorites: number;
  readonly removedDiscounts: number;
  /** Names of categories and values in other languages that are new, changed or gone. */
  readonly words: number;
  readonly invalid: number;
  /** The first 50 of the invalid ones. */
  readonly invalidRecords: readonly InvalidRecord[];
  readonly warnings: readonly Translatable[];
  /** Only for a dry run. */
  readonly preview?: Preview;
  readonly seconds: number;
}

/** A refused record, by its number in the file from 1, with everything that is wrong with it. */
export interface InvalidRecord {
  readonly record: number;
  readonly id?: string;
  /** Named as in the JSON report. */
  readonly problems: FieldError[];
}

/** Only so many are reported: a file that is wrong throughout would repeat itself a million times. */
export const REPORTED_AT_MOST = 50;

interface ProgressView {
  show(progress: Progress): void;
  /** To be called before anything else is printed. */
  stop(): void;
}

/** Rare enough not to fill a log file. */
const LINE_EVERY_MS = 5000;

const loadCliProgress = lazyPackage<typeof cliProgress>("cli-progress");

/** A progress bar for a terminal, cleared once it is done. */
export function openBar(format: string): cliProgress.SingleBar {
  const { Presets, SingleBar } = loadCliProgress();
  return new SingleBar({ format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
}

const COUNT = new Intl.NumberFormat("en-US");

/** A count for people: 1,000,000. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** A line for each reported invalid record with all its errors, and one for how many more there are. */
export function describeInvalid({ invalid, invalidRecords }: ImportSummary): LazyText[] {
  const more = invalid - invalidRecords.length;
  const lines = invalidRecords.map(describeRecord);
  return more > 0 ? [...lines, lazyText("refusals.more_lines", { more: formatCount(more) })] : lines;
}

/** The summary for people, one count a line; of a dry run also what would change. */
export function describeSummary(summary: ImportSummary): string[] {
  const { kind, records, seconds, dryRun, id } = summary;
  const read = `${kind}: ${formatCount(records)} ${records === 1 ? "record" : "records"} in ${seconds.toFixed(1)} s`;
  return [
    ...describePreview(summary),
    dryRun ? `${read} (dry run: nothing was written)` : read,
    ...(["added", "changed", "unchanged", "removed", "invalid"] as const).map(
      (name) =>
        `  ${name.padEnd(10)}${formatCount(summary[name]).padStart(11)}${describeGone(summary, name)}`,
    ),
    ...describeWords(summary),
    ...(id === undefined || dryRun ? [] : [`  undo with: undo-import ${id}`]),
  ];
}

/** The summary for programs, as JSON. `error` says why nothing was written. */
export function summaryJson(file: string, summary: ImportSummary | undefined, error?: string): string {
  return JSON.stringify({
    file,
    written: error === undefined && summary?.dryRun === false,
    error,
    kind: summary?.kind,
    import: summary?.dryRun ? undefined : summary?.id,
    dry_run: summary?.dryRun,
    records: summary?.records,
    added: summary?.added,
    changed: summary?.changed,
    unchanged: summary?.unchanged,
    removed: summary?.removed,
    removed_favorites: summary?.removedFavorites,
    removed_discounts: summary?.removedDiscounts,
    words: summary?.words,
    invalid: summary?.invalid,
    invalid_records: summary?.invalidRecords.map(({ problems, ...rest }) => ({
      ...rest,
      problems: problems.map(({ field, reason }) => ({ field, reason: translateText(reason) })),
    })),
    warnings: summary?.warnings.map((warning) => translateText(warning)),
    preview: summary?.preview,
    seconds: summary && Number(summary.seconds.toFixed(3)),
  });
}

function describeWords({ words }: ImportSummary): string[] {
  return words === 0
    ? []
    : [`  names of categories and values in other languages that changed: ${formatCount(words)}`];
}

function describeRecord({ record, problems }: InvalidRecord): LazyText {
  const errors = problems.map(({ field, reason }) =>
    field === "" ? reason : lazyText("refusals.field", { field, reason }),
  );
  return lazyText("refusals.record", { record, problems: errors });
}

function describeGone({ removedFavorites, removedDiscounts }: ImportSummary, name: string): string {
  if (name !== "removed" || removedFavorites + removedDiscounts === 0) return "";
  const gone = [countOf(removedFavorites, "favorite"), countOf(removedDiscounts, "discount")];
  return `  (and with them ${gone.filter((text) => text !== "").join(" and ")})`;
}

function countOf(count: number, what: string): string {
  return count === 0 ? "" : `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}

function describePreview({ preview, added, changed, removed }: ImportSummary): string[] {
  if (!preview) return [];
  return [
    ...preview.added.map(({ id, name }) => `+ ${id}  ${name}`),
    ...andMore(added - preview.added.length, "+"),
    ...preview.changed.map(({ id, name, fields }) => `~ ${id}  ${name}  (${fields.join(", ")})`),
    ...andMore(changed - preview.changed.length, "~"),
    ...preview.removed.map(({ id, name }) => `- ${id}  ${name}`),
    ...andMore(removed - preview.removed.length, "-"),
  ];
}

function andMore(count: number, sign: string): string[] {
  return count > 0 ? [`${sign} and ${formatCount(count)} more`] : [];
}

/** A run that was refused after reading the whole file. Nothing was written. */
export class ImportRefusedError extends SaidError {
  override name = "ImportRefusedError";
  readonly summary: ImportSummary;
  /** True if it would have removed more than half. */
  readonly removesTooMuch: boolean;
  constructor(said: LazyText, summary: ImportSummary, removesTooMuch = false) {
    super(said);
    this.summary = summary;
    this.removesTooMuch = removesTooMuch;
  }
}

/** Counts invalid records and keeps the first ones. */
export class InvalidRecords {
  #count = 0;
  #first = new Map<number, InvalidRecord>();
  readonly #reportedAtMost: number;

  constructor(reportedAtMost = REPORTED_AT_MOST) {
    this.#reportedAtMost = reportedAtMost;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a record; records must come in the order of the file. */
  add(invalid: InvalidRecord): void {
    this.#count++;
    if (this.#first.size < this.#reportedAtMost) this.#first.set(invalid.record, invalid);
  }

  /** Adds what the database found: errors of further records, and of those already added. */
  addStaged({ refused, errors }: RefusedRecords): void {
    this.#count += refused;
    for (const { record, id, field, reason } of errors) {
      const there = this.#first.get(record)?.problems ?? [];
      this.#first.set(record, { record, id, problems: [...there, { field, reason }] });
    }
  }

  /** The first invalid records in the order of the file. */
  first(): InvalidRecord[] {
    return [...this.#first.values()].sort((a, b) => a.record - b.record).slice(0, this.#reportedAtMost);
  }
}

/** A bar on a terminal if the size is known, else a line every few seconds. */
export function createProgressView(
  { isTerminal, quiet, err }: { isTerminal: boolean; quiet: boolean; err: (line: string) => void },
  source: InputSource,
): ProgressView {
  if (quiet) return { show: () => undefined, stop: () => undefined };
  return isTerminal && source.size !== undefined ? createBar(source, source.size) : createLines(err, source);
}

function createBar(source: InputSource, size: number): ProgressView {
  const format = "{bar} {percentage} % | {records} records | {state}";
  const bar = openBar(format);
  bar.start(size, 0, { records: "0", state: "reading" });
  return {
    show({ phase, records }) {
      if (phase === "pictures") return bar.update(0, { state: `${formatCount(records)} pictures` });
      bar.update(phase === "reading" ? source.bytesRead() : size, {
        records: formatCount(records),
        state: phase,
      });
    },
    stop: () => bar.stop(),
  };
}

function createLines(err: (line: string) => void, source: InputSource): ProgressView {
  const started = performance.now();
  let last = started;
  return {
    show({ phase, records }) {
      const now = performance.now();
      if (now - (phase === "writing" ? started : last) < LINE_EVERY_MS) return;
      last = now;
      if (phase === "pictures") return err(`${formatCount(records)} pictures read`);
      const read = `${formatCount(records)} records read`;
      err(phase === "reading" ? `${read}${share(source)}` : `${read}; writing`);
    },
    stop: () => undefined,
  };
}

function share({ size, bytesRead }: InputSource): string {
  return size ? ` (${Math.floor((100 * bytesRead()) / size)} %)` : "";
}
