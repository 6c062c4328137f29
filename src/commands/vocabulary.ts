import { existsSync } from "node:fs";
import { z } from "zod";
import { findDoubts } from "../catalogue/vocabulary-doubts.ts";
import { ConfigError } from "../config.ts";
import { requireMigrated } from "../db/open.ts";
import { readVocabularyFile } from "../vocabulary/live.ts";
import { vocabularySchema } from "../vocabulary/schema.ts";
import { type Call, Command } from "./command.ts";

export const vocabularyCommand = new Command("vocabulary")
  .description("Check what the site calls the game's data, or write the schema of that file for an editor")
  .needsSubcommand(() => "say check or schema");

vocabularyCommand
  .command("check")
  .description("Check a vocabulary before it is used: its form, and against the records that are there")
  .argument("[file]", "by default the one that the site uses")
  .does(check);

vocabularyCommand
  .command("schema")
  .description("Print the JSON Schema, which editors complete and check by (docs/vocabulary.md)")
  .does(async ({ context: { out } }) => {
    out(JSON.stringify(vocabularyJsonSchema(), null, 2));
    return 0;
  });

/** The schema of the file as JSON Schema. */
export function vocabularyJsonSchema(): object {
  return z.toJSONSchema(vocabularySchema, { io: "input", unrepresentable: "any" });
}

async function check({ words, context }: Call): Promise<number> {
  const { config, db, out, err } = context;
  const file = words[0] ?? config.siteSchema.file;
  if (words[0] === undefined && !config.siteSchema.isRequired && !existsSync(file)) {
    out(`There is no vocabulary: ${file} does not exist.`);
    return 0;
  }
  try {
    const vocabulary = readVocabularyFile(file);
    const database = await db();
    await requireMigrated(database);
    for (const doubt of await findDoubts(database, vocabulary)) err(`warning: ${doubt}`);
    out(`${file} can be used.`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    err(error.message);
    return 1;
  }
}
