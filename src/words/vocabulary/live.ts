import { readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { memoize } from "../../settings/memoize.ts";
import { ConfigError } from "../../settings/sources.ts";
import { setKindTexts } from "../i18n/translate.ts";
import { ownKinds } from "../kinds/own-kinds.ts";
import type { OwnKindTraits } from "../kinds/traits.ts";
import { learnCurrencies } from "./currency-names.ts";
import { replaceFile } from "./file.ts";
import { ownKindTexts, readOwnKinds } from "./own-kinds.ts";
import { type FoundMistake, type Mistake, placeMistakes } from "./places.ts";
import { mistakeText, type ReadVocabulary, readVocabulary, readVocabularyText } from "./read.ts";
import type { VocabularyFile } from "./schema.ts";
import { Vocabulary } from "./vocabulary.ts";

const DEFAULT_FILE = new URL("./default.json", import.meta.url);

const NO_FILE: VocabularyFile = {};

interface LiveVocabularyOptions {
  /** The path of the operator's file, if there is one. */
  readonly file?: string | undefined;
  /** A setting names the file, so it must exist. */
  readonly isRequired?: boolean;
  /** Where to keep a copy of the last file without mistakes, for a start with one that has some. */
  readonly lastGood?: string;
  /** Looks for mistakes in the database; by default none are found. */
  readonly findKindMistakes?: FindKindMistakes;
  readonly log?: Pick<Logger, "warn" | "info" | "error">;
  /** The words of a site without a file; by default the default vocabulary. */
  readonly defaults?: VocabularyFile;
}

interface VocabularyChoice {
  /** Whether the default words stand behind those of the file, as on a site that shows the demo data. */
  readonly withDefaults: boolean;
}

/**
 * The operator's vocabulary, reloaded whenever its file changes. A file with mistakes changes nothing; at a start, the
 * copy of the last good file is used instead.
 */
export class LiveVocabulary {
  readonly #options: LiveVocabularyOptions;
  #stamp: string | undefined;
  /** undefined: there is no file. */
  #used: ReadText | undefined;
  #mistakes: readonly string[] = [];
  #noticing: Promise<void> = Promise.resolve();
  #version = 0;
  #changedAt: Date | undefined;
  /** What imported records say; the file goes first. */
  #words: { readonly version: number | undefined; readonly file: VocabularyFile } = {
    version: undefined,
    file: NO_FILE,
  };
  readonly #made = new Map<boolean, Vocabulary>();

  /** @throws ConfigError with a line for each mistake, if neither the file nor the last good one can be used */
  constructor(options: LiveVocabularyOptions = {}) {
    this.#options = options;
    const { file, isRequired } = options;
    if (file === undefined) return;
    this.#stamp = readStamp(file);
    this.#changedAt = statSync(file, { throwIfNoEntry: false })?.ctime;
    try {
      this.#used = readSiteFile({ file, isRequired });
    } catch (error) {
      this.#fallBack(error);
    }
  }

  /**
   * Checks the file's kinds against the database as well, and keeps a copy of a file without mistakes. Call it at the
   * start, before anything uses the kinds.
   * @throws ConfigError with a line for each mistake, if neither the file nor the last good one can be used
   */
  async confirm(): Promise<void> {
    try {
      await this.#requireKinds(this.#used);
    } catch (error) {
      if (!(error instanceof ConfigError) || this.#mistakes.length > 0) throw error;
      this.#fallBack(error);
      await this.#requireKinds(this.#used);
    }
    if (this.#mistakes.length === 0) await this.#keep();
  }

  /** The mistakes in the current file, a line each; while there are any, the last good file is used. */
  get mistakes(): readonly string[] {
    return this.#mistakes;
  }

  /** The operator's file as it was read last. */
  get file(): VocabularyFile {
    return this.#used?.file ?? NO_FILE;
  }

  /** A number that changes with the vocabulary. */
  get version(): number {
    return this.#version;
  }

  /** When this process took over the latest change, or when the file had changed before the start; undefined: never. */
  get changedAt(): Date | undefined {
    return this.#changedAt;
  }

  /** The operator's file, whether it exists or not; undefined: none was named. */
  get path(): string | undefined {
    return this.#options.file;
  }

  /** The words that there would be if this were the operator's file; for undefined without any. */
  wouldBe(file: VocabularyFile | undefined, { withDefaults }: VocabularyChoice): Vocabulary {
    const needsDefaults = withDefaults || file === undefined;
    const behind = needsDefaults ? [this.#options.defaults ?? defaultVocabulary()] : [];
    return new Vocabulary([file ?? NO_FILE, this.#words.file, ...behind]);
  }

  /** The words of the site. Without a file, it has the default ones in any case. */
  of({ withDefaults }: VocabularyChoice): Vocabulary {
    const made = this.#made.get(withDefaults) ?? this.wouldBe(this.#used?.file, { withDefaults });
    this.#made.set(withDefaults, made);
    return made;
  }

  /** The version of the words of records that it has; undefined before it has any. */
  get wordsVersion(): number | undefined {
    return this.#words.version;
  }

  /** Takes over what records call categories and values in several languages. */
  takeWords(version: number, file: VocabularyFile): void {
    const isChange = this.#words.version !== undefined;
    this.#words = { version, file };
    this.#noteChange(isChange ? new Date() : this.#changedAt);
  }

  /** Reads the file again if it changed. Resolves when its words are in use, whoever noticed the change first. */
  noticeChange(): Promise<void> {
    this.#noticing = this.#noticing.catch(() => undefined).then(() => this.#notice());
    return this.#noticing;
  }

  async #notice(): Promise<void> {
    const { file, log } = this.#options;
    if (file === undefined) return;
    const stamp = readStamp(file);
    if (stamp === this.#stamp) return;
    try {
      const read = readSiteFile({ file });
      await this.#requireKinds(read);
      this.#used = read;
      this.#mistakes = [];
    } catch (error) {
      // The database may be away: the next call tries again.
      if (!(error instanceof ConfigError)) throw error;
      this.#mistakes = listLines(error);
      log?.error({ file, mistakes: this.#mistakes }, "the vocabulary has mistakes; the one before stays");
    }
    this.#stamp = stamp;
    if (this.#mistakes.length > 0) return;
    this.#renameKinds();
    learnCurrencies(this.file);
    this.#noteChange(new Date());
    log?.info({ file }, "the vocabulary was read again");
    // An editor that saves by renaming leaves no file for a moment: that is no reason to lose the copy.
    if (this.#used) await this.#keep();
  }

  #noteChange(at: Date | undefined): void {
    this.#made.clear();
    this.#version += 1;
    this.#changedAt = at;
  }

  async #requireKinds(read: ReadText | undefined): Promise<void> {
    const { file = "", findKindMistakes } = this.#options;
    if (read === undefined || findKindMistakes === undefined) return;
    const { mistakes } = await checkVocabulary(read.text, findKindMistakes);
    if (mistakes) throw createError(file, mistakes);
  }

  /**
   * Uses the last good file instead of one with mistakes.
   * @throws the error, if there is no usable one
   */
  #fallBack(error: unknown): void {
    const { file, lastGood, log } = this.#options;
    const good = lastGood === undefined ? undefined : readLastGood(lastGood);
    if (!good) throw error;
    this.#used = good;
    this.#mistakes = listLines(error);
    log?.error(
      { file, lastGood, mistakes: this.#mistakes },
      "the vocabulary has mistakes; the last good one is used",
    );
  }

  /** A copy that cannot be written is missed by a later start only. */
  async #keep(): Promise<void> {
    const { lastGood, log } = this.#options;
    try {
      if (lastGood !== undefined) await keepLastGood(lastGood, this.#used?.text);
    } catch (error) {
      log?.warn({ err: error, lastGood }, "could not keep a copy of the vocabulary");
    }
  }

  /** Updates the names of the operator's kinds. New, removed or changed kinds need a restart. */
  #renameKinds(): void {
    if (JSON.stringify(readOwnKinds(this.file)) !== JSON.stringify(ownKinds())) {
      const { file, log } = this.#options;
      log?.warn(
        { file },
        "kinds of your own were added, changed or removed: that takes effect at the next start",
      );
    }
    // A removed kind stays on the site until the next start, under its old name.
    setKindTexts(ownKindTexts(this.file));
  }
}

/**
 * The operator's vocabulary, or undefined if it is optional and missing.
 * @throws ConfigError with a line for each mistake, or if it is not where a setting says
 */
export function readSiteVocabulary(place: VocabularySource): VocabularyFile | undefined {
  return readSiteFile(place)?.file;
}

interface VocabularySource {
  readonly file: string;
  readonly isRequired?: boolean | undefined;
}

function readSiteFile({ file, isRequired = false }: VocabularySource): ReadText | undefined {
  if (readStamp(file) !== undefined) return readFileText(file);
  if (isRequired) throw new ConfigError(`SITE_SCHEMA: there is no file ${file}`);
  return undefined;
}

/**
 * The vocabulary in a file.
 * @throws ConfigError with a line for each mistake
 */
export function readVocabularyFile(file: string): VocabularyFile {
  return readFileText(file).file;
}

function readFileText(file: string): ReadText {
  const text = readVocabularyText(file);
  const { vocabulary, mistakes } = readVocabulary(text);
  if (vocabulary) return { file: vocabulary, text };
  throw createError(file, mistakes);
}

/** Lines of mistakes of a file. */
const SHOWN = 50;

function createError(file: string, mistakes: readonly Mistake[]): ConfigError {
  const lines = mistakes.slice(0, SHOWN).map((mistake) => `${file}, ${mistakeText(mistake)}`);
  if (mistakes.length > SHOWN) lines.push("and more like these");
  return new ConfigError(lines.join("\n"));
}

function listLines(error: unknown): string[] {
  return error instanceof Error ? error.message.split("\n") : [];
}

/** The words that come with Almanac: those of the demo data, with categories in English. */
export const defaultVocabulary = memoize(() => readVocabularyFile(DEFAULT_FILE.pathname));

/** Differs whenever the file does; undefined for a missing file. */
function readStamp(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}

interface ReadText {
  readonly file: VocabularyFile;
  readonly text: string;
}

/** The copy of the last vocabulary without mistakes; undefined if it is missing, or this version cannot use it. */
function readLastGood(copy: string): ReadText | undefined {
  try {
    const text = readFileSync(copy, "utf8");
    const { vocabulary } = readVocabulary(text);
    return vocabulary && { file: vocabulary, text };
  } catch {
    return undefined;
  }
}

/**
 * Writes the copy unless it is the same; removes it for undefined.
 * @throws the file system's error
 */
async function keepLastGood(copy: string, text: string | undefined): Promise<void> {
  if (text === undefined) return rm(copy, { force: true });
  if ((await readFile(copy, "utf8").catch(() => undefined)) === text) return;
  await mkdir(path.dirname(copy), { recursive: true });
  await replaceFile(copy, text);
}

/** What speaks against the kinds of a vocabulary elsewhere than in it: in the database. */
type FindKindMistakes = (kinds: readonly OwnKindTraits[]) => Promise<readonly FoundMistake[]>;

/** Reads a vocabulary and holds it to everything that a start does. Whatever is saved has passed this. */
export async function checkVocabulary(
  text: string,
  findKindMistakes: FindKindMistakes,
): Promise<ReadVocabulary> {
  const read = readVocabulary(text);
  if (!read.vocabulary) return read;
  const [first, ...others] = placeMistakes(text, await findKindMistakes(readOwnKinds(read.vocabulary)));
  return first ? { mistakes: [first, ...others] } : read;
}
