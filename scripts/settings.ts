/** Writes the tables of docs/settings.md from the schema of the settings. Usage: npm run settings */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { SETTING_GROUPS, SETTINGS } from "../src/settings/config.ts";

const PAGE = new URL("../docs/settings.md", import.meta.url);

/** What stands between the two comments of the page. */
const WRITTEN = /(?<=<!-- Written by .*-->\n)[\s\S]*(?=<!-- End )/;

/** The text of docs/settings.md, as it is and as it should be. */
export function settingsPage(): { current: string; expected: string } {
  const current = readFileSync(PAGE, "utf8");
  return { current, expected: current.replace(WRITTEN, () => `\n${describeGroups()}\n`) };
}

/** @throws Error for a setting that is in no group, or does not say what it is */
function describeGroups(): string {
  const grouped = new Set(Object.values(SETTING_GROUPS).flatMap(Object.keys));
  const missing = SETTINGS.filter((name) => !grouped.has(name));
  if (missing.length > 0) throw new Error(`${missing.join(", ")}: add them to SETTING_GROUPS`);
  return Object.entries(SETTING_GROUPS)
    .map(
      ([title, group]) =>
        `## ${title}\n\n| Setting | Default | Accepts | Meaning |\n| --- | --- | --- | --- |\n${Object.entries(group).map(describe).join("")}`,
    )
    .join("\n");
}

function describe([name, schema]: [string, z.ZodType]): string {
  const { description, unset, isSecret } = schema.meta() ?? {};
  if (description === undefined) throw new Error(`${name} has no description: add .meta({ description })`);
  const value = defaultOf(schema) ?? unset ?? "none";
  return `| \`${name}\`${isSecret ? " (`_FILE`)" : ""} | ${value} | ${acceptedBy(schema, name)} | ${description} |\n`;
}

/** The default as an operator would write it. */
function defaultOf(schema: z.ZodType): string | undefined {
  if (!(schema instanceof z.ZodDefault)) return undefined;
  const value: unknown = schema.def.defaultValue;
  if (typeof value === "boolean") return value ? "`1`" : "`0`";
  const text = typeof value === "object" ? Object.values(value ?? {}).join(",") : String(value);
  return text === "" ? "none" : `\`${text}\``;
}

/** What a setting accepts, by its own words or those of the schema that a default or an optional value wraps. */
function acceptedBy(schema: z.ZodType, name: string): string {
  const accepts = schema.meta()?.accepts;
  if (typeof accepts === "string") return accepts;
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(", ");
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return acceptedBy(schema.unwrap() as z.ZodType, name);
  throw new Error(`${name} does not say what it accepts: add .meta({ accepts })`);
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, settingsPage().expected);
