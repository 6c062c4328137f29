import type { InvalidRecord } from "./invalid-records.ts";
import type { ImportSummary } from "./summary.ts";

const COUNT = new Intl.NumberFormat("en-US");

/** A count for people: 1,000,000. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** A line for each reported invalid record with all its errors, and one for how many more there are. */
export function describeInvalid({ invalid, invalidRecords }: ImportSummary): string[] {
  const more = invalid - invalidRecords.length;
  const lines = invalidRecords.map(describeRecord);
  return more > 0 ? [...lines, `and ${formatCount(more)} more`] : lines;
}

/** The summary for people, one count a line; of a dry run also what would change. */
export function describeSummary(summary: ImportSummary): string[] {
  const { kind, records, seconds, dryRun } = summary;
  const read = `${kind}: ${formatCount(records)} ${records === 1 ? "record" : "records"} in ${seconds.toFixed(1)} s`;
  return [
    ...describePreview(summary),
    dryRun ? `${read} (dry run: nothing was written)` : read,
    ...(["added", "changed", "unchanged", "removed", "invalid"] as const).map(
      (name) =>
        `  ${name.padEnd(10)}${formatCount(summary[name]).padStart(11)}${describeGone(summary, name)}`,
    ),
    ...describeWords(summary),
  ];
}

/** The summary for programs, as JSON. `error` says why nothing was written. */
export function summaryJson(file: string, summary: ImportSummary | undefined, error?: string): string {
  return JSON.stringify({
    file,
    written: error === undefined && summary?.dryRun === false,
    error,
    kind: summary?.kind,
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
    invalid_records: summary?.invalidRecords,
    warnings: summary?.warnings,
    preview: summary?.preview,
    seconds: summary && Number(summary.seconds.toFixed(3)),
  });
}

function describeWords({ words }: ImportSummary): string[] {
  return words === 0
    ? []
    : [`  names of categories and values in other languages that changed: ${formatCount(words)}`];
}

function describeRecord({ record, problems }: InvalidRecord): string {
  const errors = problems.map(({ field, reason }) => (field === "" ? reason : `${field}: ${reason}`));
  return `record ${record}: ${errors.join("; ")}`;
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
