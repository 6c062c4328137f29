import type { Dirent } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type yauzl from "yauzl";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { checkBytes, PictureError } from "./read-picture.ts";

const loadYauzl = lazyPackage<typeof yauzl>("yauzl");

/** A file that may be a picture. */
export interface GivenFile {
  /** Its path within the folder or the archive, with `/`. */
  readonly name: string;
  /** @throws PictureError if it is too large to be one */
  read(): Promise<Buffer>;
}

/** Files of systems and tools beside people's own. */
const LEFTOVERS = /(^|\/)(\.(?!\.\/)|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i;
/** Pictures hardly get smaller in an archive; what does so much is made to fill a disk. */
const MOST_DENSE = 100;
const DENSE_FROM = 1024 * 1024;
/** More are made to keep somebody busy. */
const MOST_ENTRIES = 200_000;
const LIKE_A_PICTURE = /\.(png|jpe?g|webp|gif|avif|svg)$/i;

/**
 * The files of a folder, with those of folders in it, or of a ZIP archive, one after the other.
 * @throws UsageError if there is no such folder or archive, or it is damaged
 */
export async function* listFiles(from: string): AsyncGenerator<GivenFile> {
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

/** A link may lead out of the folder, to what was never meant to be published. */
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

/** The archive is opened without names being read, as one bad name would end it. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: yauzl.Entry): string {
  const isUtf8 = (generalPurposeBitFlag & UTF8_FLAG) !== 0;
  const isSaid = isUtf8 || extraFields.some(({ id }) => id === UNICODE_PATH);
  const guessed = isSaid ? undefined : guessName(fileNameRaw);
  return (
    guessed?.replaceAll("\\", "/") ??
    loadYauzl().getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  );
}

/** APPNOTE.TXT 4.4.4 and 4.6.9: what says that a name is UTF-8. */
const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;

/**
 * Guesses the encoding of a name that the archive does not declare. CP437 would be the rule, but macOS and older
 * tools write UTF-8 there, and Windows in Russian CP866, whose words are all Cyrillic then. Undefined means CP437.
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

/** Nothing is written under such a name, but nobody gives a picture one by mistake. */
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

/** yauzl ends an entry that has more bytes than its head says. */
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
