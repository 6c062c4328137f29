import { open, opendir, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import yauzl from "yauzl";
import { said } from "../i18n/said.ts";
import { UsageError } from "../usage-error.ts";
import { checkBytes, PictureError } from "./read-picture.ts";

/** A file that may be a picture. */
export interface GivenFile {
  /** Its path within the folder or the archive, with `/`. */
  readonly name: string;
  /** @throws PictureError if it is too large to be one */
  read(): Promise<Buffer>;
}

/** What systems and tools leave beside people's files. */
const LEFTOVERS = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i;
/** Pictures hardly get smaller in an archive; what does so much is made to fill a disk. */
const MOST_DENSE = 100;
const DENSE_FROM = 1024 * 1024;

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
  for await (const entry of await opendir(root, { recursive: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file).split(path.sep).join("/");
    yield { name, read: () => readFileOf(file) };
  }
}

async function readFileOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    checkBytes(size);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

const openArchive = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open);

async function* listArchive(file: string): AsyncGenerator<GivenFile> {
  const archive = await openArchive(file, { lazyEntries: true, autoClose: false }).catch(() => {
    throw new UsageError(`--images ${file}: is neither a folder nor a ZIP archive`);
  });
  try {
    for (;;) {
      const entry = await nextEntry(archive, file);
      if (!entry) return;
      if (entry.fileName.endsWith("/")) continue;
      yield { name: entry.fileName, read: () => readEntry(archive, entry) };
    }
  } finally {
    archive.close();
  }
}

/** yauzl refuses names that lead out of the archive (`../x`, `/x`). */
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
    throw new PictureError(said("operator.picture.refused.dense"));
  if (entry.isEncrypted()) throw new PictureError(said("operator.picture.refused.encrypted"));
  const stream = await promisify(archive.openReadStream.bind(archive, entry))().catch(() => {
    throw new PictureError(said("operator.picture.refused.packed"));
  });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    throw new PictureError(said("operator.picture.refused.packed"));
  }
  return Buffer.concat(chunks);
}
