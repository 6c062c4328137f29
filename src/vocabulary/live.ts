import { statSync } from "node:fs";
import { ConfigError } from "../config.ts";
import { setKindTexts } from "../i18n/translate.ts";
import { ownKinds } from "../kinds/own-kinds.ts";
import { ownKindsOf, ownKindTexts } from "./own-kinds.ts";
import { mistakeText, readVocabulary } from "./read.ts";
import { readVocabularyText } from "./read-text.ts";
import type { VocabularyFile } from "./schema.ts";
import { Vocabulary } from "./vocabulary.ts";

const DEMO_FILE = new URL("../../seeds/demo/vocabulary.json", import.meta.url);

const NO_FILE: VocabularyFile = {};

interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface LiveVocabularyOptions {
  /** The operator's file; undefined: there is none. */
  readonly file?: string | undefined;
  /** The file was asked for by a setting, so it must be there. */
  readonly isRequired?: boolean;
  readonly log?: Log;
  /** The words behind the file; by default those of the demo data. */
  readonly demo?: VocabularyFile;
}

/** The operator's vocabulary, read again whenever its file changes; one with mistakes changes nothing. */
export class LiveVocabulary {
  readonly #options: LiveVocabularyOptions;
  #stamp: string | undefined;
  #file: VocabularyFile = NO_FILE;
  #version = 0;
  /** What imported records say; the file goes first. */
  #words: { readonly version: number | undefined; readonly file: VocabularyFile } = {
    version: undefined,
    file: NO_FILE,
  };
  readonly #made = new Map<boolean, Vocabulary>();

  /** @throws ConfigError with a line for each mistake, if the file cannot be used */
  constructor(options: LiveVocabularyOptions = {}) {
    this.#options = options;
    const { file, isRequired } = options;
    if (file === undefined) return;
    this.#stamp = stampOf(file);
    this.#file = readSiteVocabulary({ file, isRequired }) ?? NO_FILE;
  }

  /** The operator's file as it was read last. */
  get file(): VocabularyFile {
    return this.#file;
  }

  /** A number that changes with the vocabulary. */
  get version(): number {
    return this.#version;
  }

  /** The operator's file, whether it exists or not; undefined: none was named. */
  get path(): string | undefined {
    return this.#options.file;
  }

  /** The words that there would be if this were the operator's file; for undefined without any. */
  wouldBe(file: VocabularyFile | undefined, { demo }: { demo: boolean }): Vocabulary {
    const behind = demo || file === undefined ? [this.#options.demo ?? demoFile()] : [];
    return new Vocabulary([file ?? NO_FILE, this.#words.file, ...behind]);
  }

  /** The words for a site that shows demo records, or for one that does not. The demo's also serve where there is no file. */
  of({ demo }: { demo: boolean }): Vocabulary {
    const file = this.#file === NO_FILE ? undefined : this.#file;
    const made = this.#made.get(demo) ?? this.wouldBe(file, { demo });
    this.#made.set(demo, made);
    return made;
  }

  /** The version of the words of records that it has; undefined before it has any. */
  get wordsVersion(): number | undefined {
    return this.#words.version;
  }

  /** Takes over what records call categories and values in several languages. */
  takeWords(version: number, file: VocabularyFile): void {
    this.#words = { version, file };
    this.#made.clear();
    this.#version += 1;
  }

  /** Reads the file again if it changed. */
  noticeChange(): void {
    const { file, log } = this.#options;
    if (file === undefined) return;
    const stamp = stampOf(file);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#file = stamp === undefined ? NO_FILE : readVocabularyFile(file);
    } catch (error) {
      const mistakes = error instanceof Error ? error.message.split("\n") : [];
      log?.error({ file, mistakes }, "the vocabulary has mistakes; the one before stays");
      return;
    }
    this.#renameKinds();
    this.#made.clear();
    this.#version += 1;
    log?.info({ file }, "the vocabulary was read again");
  }

  /** What the operator's kinds are called follows the file; which there are, and what they can do, does not. */
  #renameKinds(): void {
    const kinds = ownKindsOf(this.#file);
    if (JSON.stringify(kinds) !== JSON.stringify(ownKinds())) {
      const { file, log } = this.#options;
      log?.warn(
        { file },
        "kinds of your own were added, changed or removed: that takes effect at the next start",
      );
    }
    const isKnown = (kind: string) => kinds.some((one) => one.kind === kind);
    // One that is gone from the file is on the site until then, under its old name.
    if (ownKinds().every(({ kind }) => isKnown(kind))) setKindTexts(ownKindTexts(this.#file));
  }
}

/**
 * The operator's vocabulary; undefined: there is none, and it need not be.
 * @throws ConfigError with a line for each mistake, or if it is not where a setting says
 */
export function readSiteVocabulary({
  file,
  isRequired = false,
}: {
  readonly file: string;
  readonly isRequired?: boolean | undefined;
}): VocabularyFile | undefined {
  if (stampOf(file) !== undefined) return readVocabularyFile(file);
  if (isRequired) throw new ConfigError(`SITE_SCHEMA: there is no file ${file}`);
  return undefined;
}

/**
 * The vocabulary in a file.
 * @throws ConfigError with a line for each mistake
 */
export function readVocabularyFile(file: string): VocabularyFile {
  const { vocabulary, mistakes } = readVocabulary(readVocabularyText(file));
  if (vocabulary) return vocabulary;
  const lines = mistakes.slice(0, SHOWN).map((mistake) => `${file}, ${mistakeText(mistake)}`);
  if (mistakes.length > SHOWN) lines.push("and more like these");
  throw new ConfigError(lines.join("\n"));
}

/** Lines of mistakes of a file. */
const SHOWN = 50;

let demo: VocabularyFile | undefined;

/** What the demo data means. */
export function demoFile(): VocabularyFile {
  demo ??= readVocabularyFile(DEMO_FILE.pathname);
  return demo;
}

/** Differs whenever the file does; undefined: there is none. */
function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}
