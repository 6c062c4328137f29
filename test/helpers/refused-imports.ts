import { describeInvalid, ImportRefusedError } from "../../src/exchange/import/report.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";

/** The refusal of an import; fails if the import is not refused. */
export async function refusalOf(run: Promise<unknown>): Promise<ImportRefusedError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ImportRefusedError) return error;
  throw error ?? new Error("the import was not refused");
}

/** The line that a refused import prints for each invalid record. */
export async function invalidLinesOf(run: Promise<unknown>): Promise<string[]> {
  const { summary } = await refusalOf(run);
  return describeInvalid(summary).map((line) => translateText(line));
}

/** Everything that is wrong with the records of a refused import, as `field: reason`. */
export async function problemsOf(run: Promise<unknown>): Promise<string[]> {
  const { summary } = await refusalOf(run);
  const problems = summary.invalidRecords.flatMap((invalid) => invalid.problems);
  return problems.map(({ field, reason }) => `${field}: ${translateText(reason)}`);
}
