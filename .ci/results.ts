/**
 * Prints how the runs of the tests ended, from the files of Vitest's reporter "json". It lists the slowest test files,
 * what passed on the second try only, and each failure. The last line counts what passed and failed.
 *
 *   node .ci/results.ts <file.json> … [<file.log> …]
 *
 * A file that is not there is a run that had to be ended, and counts as a failure. So does each log: it is that of a start
 * of the site that failed, and its end is printed.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonTestResults } from "vitest/reporters";

const SLOWEST = 15;

/** How much of the log of a failed start is printed. */
const LOG_LINES = 40;

const files = process.argv.slice(2).filter((file) => file.endsWith(".json"));
const logs = process.argv.slice(2).filter((file) => file.endsWith(".log"));
const runs = files
  .filter((file) => existsSync(file))
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as JsonTestResults);
const ended = files.filter((file) => !existsSync(file));
const modules = runs.flatMap(({ testResults }) => testResults);
const out = (line: string) => process.stdout.write(`${line}\n`);

out("\nThe slowest files, in seconds");
const slowest = modules
  .map(({ name, startTime, endTime }) => ({ name, seconds: Math.round((endTime - startTime) / 1000) }))
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST);
for (const { name, seconds } of slowest)
  out(`${String(seconds).padStart(5)}  ${path.relative(process.cwd(), name)}`);

for (const { name, assertionResults } of modules) {
  for (const { fullName, status, failureMessages } of assertionResults) {
    const [message] = failureMessages ?? [];
    if (status === "passed" && message !== undefined)
      out(`\nPassed on the second try: ${name} > ${fullName}\n    ${message.slice(0, 500)}`);
  }
}

for (const { name, message, assertionResults } of modules) {
  if (message) out(`\nFAILED ${name}\n    ${message}`);
  for (const { fullName, status, failureMessages } of assertionResults) {
    if (status === "failed")
      out(`\nFAILED ${name} > ${fullName}\n    ${(failureMessages ?? []).join("\n").slice(0, 1500)}`);
  }
}
for (const file of ended) out(`\nFAILED without results: ${file}`);
for (const file of logs) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  out(`\nFAILED start of the site: ${path.basename(file)}\n${lines.slice(-LOG_LINES).join("\n")}`);
}

const sum = (key: "numPassedTests" | "numFailedTests") => runs.reduce((total, run) => total + run[key], 0);
// A file that fails without a failed test, as when its cleaning up does, counts as one.
const broken = modules.filter(
  ({ status, assertionResults }) =>
    status === "failed" && assertionResults.every((test) => test.status !== "failed"),
);
const failures = sum("numFailedTests") + broken.length + ended.length + logs.length;
out(`\n${sum("numPassedTests")} passed, ${failures} failed`);
