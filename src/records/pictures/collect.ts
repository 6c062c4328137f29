import type { Dirent } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import pLimit from "p-limit";
import type yauzl from "yauzl";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { pictureColumn } from "../stored-picture.ts";
import { makeSizes, measure, nameOfBytes } from "./make-sizes.ts";
import { checkBytes, checkType, loadSharp, misnamed as misnamedAs, PictureError } from "./read-picture.ts";
import type { PictureStore } from "./store.ts";

const loadYauzl = lazyPackage<typeof yauzl>("yauzl");

/** A file that may be a picture. */
interface GivenFile {
  /** Its path within the folder or the archive, with `/`. */
  readonly name: string;
  /** @throws PictureError if it is too large to be one */
  read(): Promise<Buffer>;
}

/** Files of systems and tools beside the operator's own. */
const LEFTOVERS = /(^|\/)(\.(?!\.\/)|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i;
/** Pictures hardly get smaller in an archive. One that compresses this much was made to fill a disk. */
const MOST_DENSE = 100;
const DENSE_FROM = 1024 * 1024;
/** An archive with more entries was made to waste time. */
const MOST_ENTRIES = 200_000;
const LIKE_A_PICTURE = /\.(png|jpe?g|webp|gif|avif|svg)$/i;

/** A file that cannot be used, with the reason. */
interface RefusedFile {
  readonly name: string;
  readonly reason: string;
}

export interface CollectOptions {
  /** Only checks the files, and stores nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Called with the number of files so far. */
  readonly onProgress?: (files: number) => void;
}

/** Some files of a run cannot be used, so none is. */
export class PicturesRefusedError extends Error {
  override name = "PicturesRefusedError";
  constructor(refused: number, files: number) {
    super(`${refused} of ${files} pictures cannot be used; --skip-invalid takes the others`);
  }
}

/** How many files are processed at once. Each one holds a whole picture in memory. */
const AT_ONCE = 2;

/** Pictures by the names of their files, to be assigned to records. */
export class Pictures {
  /** Values of the column `picture` by the file's path without its extension. */
  readonly #byPath: ReadonlyMap<string, string>;
  /** By the last part of that path; undefined if several files have it. */
  readonly #byLast = new Map<string, string | undefined>();
  readonly #used = new Set<string>();

  constructor(byPath: ReadonlyMap<string, string>) {
    this.#byPath = byPath;
    for (const path of byPath.keys()) {
      const last = path.slice(path.lastIndexOf("/") + 1);
      this.#byLast.set(last, this.#byLast.has(last) ? undefined : path);
    }
  }

  /**
   * The picture of a record: the file whose path is its id, unchanged, without a leading slash or percent-encoded.
   * Otherwise it is the only file whose name is the id or its last part. With `named`, the record's own file name
   * replaces the id.
   */
  of(id: string, named?: string): string | undefined {
    const wanted = (named === undefined ? id : withoutEnding(named)).normalize("NFC");
    const bare = wanted.replace(/^\/+/, "");
    const paths = [wanted, bare, encodeURIComponent(wanted), encodeURIComponent(bare)];
    const lasts = [wanted, bare.slice(bare.lastIndexOf("/") + 1)];
    const path =
      paths.find((each) => this.#byPath.has(each)) ??
      lasts.map((last) => this.#byLast.get(last)).find((each) => each !== undefined);
    if (path === undefined) return undefined;
    this.#used.add(path);
    return this.#byPath.get(path);
  }

  get count(): number {
    return this.#byPath.size;
  }

  /** Files that no record has used so far. */
  unused(): string[] {
    return [...this.#byPath.keys()].filter((path) => !this.#used.has(path));
  }
}

/**
 * Puts the pictures of a folder or a ZIP archive into the store, and skips those that are already there. A file that
 * cannot be used is in `refused`. `misnamed` has a line for each picture whose extension is that of another type.
 * @throws UsageError if the folder or archive cannot be read; the signal's reason
 */
export async function collectPictures(
  from: string,
  store: PictureStore,
  { dryRun = false, signal, onProgress }: CollectOptions = {},
) {
  // Each file is read once.
  loadSharp().cache(false);
  const byPath = new Map<string, string>();
  const refused: RefusedFile[] = [];
  const misnamed: string[] = [];
  const listed = new Set<string>();
  const limit = pLimit(AT_ONCE);
  const running = new Set<Promise<void>>();
  let files = 0;
  for await (const file of listFiles(from)) {
    signal?.throwIfAborted();
    onProgress?.(++files);
    const path = withoutEnding(file.name).normalize("NFC");
    const isRepeated = listed.has(path);
    listed.add(path);
    const work = limit(async () => {
      try {
        if (isRepeated) throw new PictureError(lazyText("operator.picture.refused.repeated"));
        const bytes = await file.read();
        byPath.set(path, await keep(bytes, file.name, store, dryRun));
        const type = misnamedAs(bytes, file.name);
        if (type !== undefined) misnamed.push(`${printable(file.name)} is ${type}`);
      } catch (error) {
        if (!(error instanceof PictureError)) throw error;
        refused.push({ name: printable(file.name), reason: error.message });
      }
    });
    running.add(work);
    void work.finally(() => running.delete(work)).catch(() => undefined);
    // An archive is read in order, and only the files in progress are in memory.
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
  refused.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { pictures: new Pictures(byPath), refused, misnamed: misnamed.sort() };
}

/** The value of the column `picture` for a file's content, which is then in the store, except in a dry run. */
export async function keep(
  bytes: Buffer,
  fileName: string,
  store: PictureStore,
  dryRun = false,
): Promise<string> {
  // A stored one may have another name now.
  checkType(bytes, fileName);
  const name = nameOfBytes(bytes);
  const known = (await store.has(name)) ? await store.read(name, "640.webp") : undefined;
  if (known) {
    const { width, height } = await loadSharp()(known).metadata();
    return pictureColumn({ name, width, height });
  }
  if (dryRun) return pictureColumn(await measure(bytes, fileName));
  const { picture, files } = await makeSizes(bytes, fileName);
  await store.write(name, files);
  return pictureColumn(picture);
}

/** A name without characters that move the cursor or turn the direction of printed text. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => {
    return `\\u{${mark.codePointAt(0)?.toString(16)}}`;
  });
}

function withoutEnding(name: string): string {
  return name.replace(/\.[a-z0-9]{2,5}$/i, "");
}

/**
 * The files of a folder and its subfolders, or of a ZIP archive, one after the other.
 * @throws UsageError if there is no such folder or archive, or it is damaged
 */
async function* listFiles(from: string): AsyncGenerator<GivenFile> {
  const found = await stat(from).catch(() => {
    throw new UsageError(`--images ${from}: there is no such folder or file`);
  });
  for await (const file of found.isDirectory() ? listFolder(from) : listArchive(from)) {
    if (!LEFTOVERS.test(file.name)) yield file;
  }
}

async function* listFolder(root: string): AsyncGenerator<GivenFile> {
  const folder = await opendir(root, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--images ${root}: cannot be read (${error.code})`);
  });
  for await (const entry of folder) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file).split(path.sep).join("/");
    if (entry.isFile()) yield { name, read: () => readFileOf(file) };
    else if (!entry.isDirectory()) yield refusedFile(name, nameOfSpecial(entry));
    else if (LIKE_A_PICTURE.test(name)) yield refusedFile(name, lazyText("operator.picture.refused.folder"));
  }
}

/** A link may lead out of the folder, to a file that must not be published. */
function nameOfSpecial(entry: Dirent): LazyText {
  return lazyText(
    entry.isSymbolicLink() ? "operator.picture.refused.link" : "operator.picture.refused.special",
  );
}

function refusedFile(name: string, reason: LazyText): GivenFile {
  return { name, read: () => Promise.reject(new PictureError(reason)) };
}

async function readFileOf(file: string): Promise<Buffer> {
  const handle = await open(file).catch(refuseUnreadable);
  try {
    const { size } = await handle.stat();
    checkBytes(size);
    return await handle.readFile().catch(refuseUnreadable);
  } finally {
    await handle.close();
  }
}

function refuseUnreadable(error: NodeJS.ErrnoException): never {
  throw new PictureError(
    lazyText("operator.picture.refused.unreadable", { code: error.code ?? error.message }),
  );
}

const openArchive = (file: string, options: yauzl.Options) =>
  promisify<string, yauzl.Options, yauzl.ZipFile>(loadYauzl().open)(file, options);

async function* listArchive(file: string): AsyncGenerator<GivenFile> {
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const archive = await openArchive(file, options).catch(() => {
    throw new UsageError(`--images ${file}: is neither a folder nor a ZIP archive`);
  });
  try {
    if (archive.entryCount > MOST_ENTRIES)
      throw new UsageError(
        `--images ${file}: has ${archive.entryCount} files; an archive may have ${MOST_ENTRIES}`,
      );
    let packed = 0;
    for (;;) {
      const entry = await nextEntry(archive, file);
      if (!entry) return;
      packed += entry.compressedSize;
      if (packed > archive.fileSize) throw new UsageError(`--images ${file}: is damaged: its files overlap`);
      const name = nameOf(entry);
      if (!name.endsWith("/")) yield leadsOut(name) ?? { name, read: () => readEntry(archive, entry) };
    }
  } finally {
    archive.close();
  }
}

/** yauzl must not decode names, because one bad name would end it. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: yauzl.Entry): string {
  const isUtf8 = (generalPurposeBitFlag & UTF8_FLAG) !== 0;
  const isSaid = isUtf8 || extraFields.some(({ id }) => id === UNICODE_PATH);
  const guessed = isSaid ? undefined : guessName(fileNameRaw);
  return (
    guessed?.replaceAll("\\", "/") ??
    loadYauzl().getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  );
}

/** The flag for UTF-8 names: APPNOTE.TXT 4.4.4 and 4.6.9. */
const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;

/**
 * Guesses the encoding of a name that the archive does not declare. CP437 would be the rule, but macOS and older tools
 * write UTF-8, and Windows in Russian writes CP866, whose words are then all Cyrillic. Undefined means CP437.
 */
function guessName(raw: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    const name = new TextDecoder("ibm866").decode(raw);
    const isRussian = /^[\p{ASCII}\p{Script=Cyrillic}№]*$/u.test(name);
    const isMixed = /[a-z]\p{Script=Cyrillic}|\p{Script=Cyrillic}[a-z]/iu.test(name);
    return isRussian && !isMixed ? name : undefined;
  }
}

/** Nothing is written under such a name, but a picture never has one by mistake. */
function leadsOut(name: string): GivenFile | undefined {
  return loadYauzl().validateFileName(name) === null
    ? undefined
    : refusedFile(name, lazyText("operator.picture.refused.leads_out"));
}

function nextEntry(archive: yauzl.ZipFile, file: string): Promise<yauzl.Entry | undefined> {
  return new Promise((resolve, reject) => {
    const done = (end: () => void) => {
      archive.removeAllListeners("entry").removeAllListeners("end").removeAllListeners("error");
      end();
    };
    archive.once("entry", (entry: yauzl.Entry) => done(() => resolve(entry)));
    archive.once("end", () => done(() => resolve(undefined)));
    archive.once("error", (error: Error) =>
      done(() => reject(new UsageError(`--images ${file}: is damaged: ${error.message}`))),
    );
    archive.readEntry();
  });
}

/** yauzl fails for an entry with more bytes than its header declares. */
async function readEntry(archive: yauzl.ZipFile, entry: yauzl.Entry): Promise<Buffer> {
  const { compressedSize, uncompressedSize } = entry;
  checkBytes(uncompressedSize);
  if (uncompressedSize > DENSE_FROM && uncompressedSize > MOST_DENSE * compressedSize)
    throw new PictureError(lazyText("operator.picture.refused.dense"));
  if (entry.isEncrypted()) throw new PictureError(lazyText("operator.picture.refused.encrypted"));
  const stream = await promisify(archive.openReadStream.bind(archive, entry))().catch(() => {
    throw new PictureError(lazyText("operator.picture.refused.packed"));
  });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    throw new PictureError(lazyText("operator.picture.refused.packed"));
  }
  return Buffer.concat(chunks);
}
