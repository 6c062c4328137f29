import { existsSync } from "node:fs";
import { z } from "zod";
import { findVocabularyWarnings } from "../catalogue/vocabulary-warnings.ts";
import { requireMigrated } from "../db/open.ts";
import { countKindRows, dropKind, listStoredKinds } from "../db/own-kinds.ts";
import { ConfigError } from "../settings/sources.ts";
import { translateText } from "../words/i18n/lazy-text.ts";
import { readSiteVocabulary, readVocabularyFile } from "../words/vocabulary/live.ts";
import { registerOwnKinds } from "../words/vocabulary/own-kinds.ts";
import { vocabularySchema } from "../words/vocabulary/schema.ts";
import { type Call, Command, fail, typedPath } from "./command.ts";
import { checkKinds } from "./prepare-own-kinds.ts";

export const vocabularyCommand = new Command("vocabulary").needsSubcommand(() => "say check, schema or drop");

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

vocabularyCommand
  .command("drop")
  .description("Remove the entries of a kind that the vocabulary has no more, for good")
  .argument("<kind>")
  .option("--yes", "remove them; without it, only say what would go")
  .does(drop);

/** The schema of the file as JSON Schema. */
export function vocabularyJsonSchema(): object {
  return z.toJSONSchema(vocabularySchema, { io: "input", unrepresentable: "any" });
}

async function check({ words, context }: Call): Promise<number> {
  const { config, db, out, err } = context;
  const file = words[0] === undefined ? config.siteSchema.file : typedPath(words[0], context);
  if (words[0] === undefined && !config.siteSchema.isRequired && !existsSync(file)) {
    out(`There is no vocabulary: ${file} does not exist.`);
    return 0;
  }
  try {
    const vocabulary = readVocabularyFile(file);
    const database = await db();
    await requireMigrated(database);
    const { mistakes, forgotten } = await checkKinds(vocabulary, database);
    for (const mistake of mistakes) err(`${file}: ${mistake}`);
    if (mistakes.length > 0) return 1;
    const doubts = [...(await findVocabularyWarnings(database, vocabulary)), ...forgotten];
    for (const doubt of doubts) err(`warning: ${translateText(doubt)}`);
    out(`${file} can be used.`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    err(error.message);
    return 1;
  }
}

async function drop({ words: [kind = ""], options, context }: Call<{ yes?: true }>): Promise<number> {
  const { config, db, out, err } = context;
  const database = await db();
  await requireMigrated(database);
  const stored = (await listStoredKinds(database)).find((each) => each.kind === kind);
  if (!stored) return fail(context, `there is no kind of your own called "${kind}" in the database`);
  const known = registerOwnKinds(readSiteVocabulary(config.siteSchema) ?? {});
  if (known.some((each) => each.kind === kind))
    return fail(
      context,
      `the vocabulary still has the kind ${kind}: take it out and start the site again first`,
    );
  const { entries, favorites, relations } = await countKindRows(database, stored);
  const losses = `${entries} entries of ${kind}, ${favorites} favorites and ${relations} relations`;
  if (!options.yes) {
    err(`This would remove ${losses}. Say --yes to do it.`);
    return 1;
  }
  await dropKind(database, stored);
  out(`Removed: ${losses}.`);
  return 0;
}
