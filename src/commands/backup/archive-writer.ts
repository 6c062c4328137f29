import { createHash, randomBytes } from "node:crypto";
import { access, type FileHandle, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../settings/sync-folder.ts";
import { BackupError } from "./backup-error.ts";
import { CHECKSUMS, digestOfSeal, SEAL, type Seal } from "./format.ts";
import { computePadding, TAR_END, tarHeader } from "./tar.ts";

/** Files between two files of checksums. */
const CHECKED_AT_ONCE = 500;

/** The ending of a file that is being written. */
export const DRAFT = /\.[0-9a-f]{8}\.draft$/;

/**
 * Writes a backup file by file. It has its name only once it is whole and on the disk; until then it is beside it, as a
 * draft that `discard` removes.
 */
export class ArchiveWriter {
  readonly #file: string;
  readonly #draft: string;
  readonly #handle: FileHandle;
  readonly #mtime: number;
  readonly #replaces: boolean;
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #files = 0;
  #sums: string[] = [];
  #lists = 0;

  private constructor(file: string, draft: string, handle: FileHandle, options: WriterOptions) {
    this.#file = file;
    this.#draft = draft;
    this.#handle = handle;
    this.#mtime = Math.floor(options.createdAt.getTime() / 1000);
    this.#replaces = options.replaces;
  }

  /** @throws BackupError if there is such a file and it may not be replaced */
  static async create(file: string, options: WriterOptions): Promise<ArchiveWriter> {
    if (!options.replaces) await refuseExisting(file);
    const draft = `${file}.${randomBytes(4).toString("hex")}.draft`;
    return new ArchiveWriter(file, draft, await open(draft, "wx", 0o600), options);
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#write(name, content);
    this.#sums.push(`${createHash("sha256").update(content).digest("hex")}  ${name}\n`);
    if (this.#sums.length >= CHECKED_AT_ONCE) await this.#addChecksums();
  }

  /** Ends the file, and gives it its name. */
  async complete(counted: Pick<Seal, "rows" | "pictureFiles">): Promise<{ bytes: number; sha256: string }> {
    if (this.#sums.length > 0) await this.#addChecksums();
    const sha256 = this.#hash.copy().digest("hex");
    const seal = { bytes: this.#bytes, sha256, files: this.#files, ...counted };
    const digested: Seal = { ...seal, digest: digestOfSeal(seal) };
    await this.#write(SEAL, Buffer.from(`${JSON.stringify(digested, null, 2)}\n`));
    await this.#append(TAR_END);
    await this.#handle.sync();
    await this.#handle.close();
    if (!this.#replaces) await refuseExisting(this.#file);
    await rename(this.#draft, this.#file);
    await syncFolder(path.dirname(this.#file));
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#draft, { force: true });
  }

  async #addChecksums(): Promise<void> {
    const list = Buffer.from(this.#sums.join(""));
    this.#sums = [];
    this.#lists += 1;
    await this.#write(`${CHECKSUMS}${String(this.#lists).padStart(6, "0")}.sha256`, list);
  }

  async #write(name: string, content: Buffer): Promise<void> {
    const header = tarHeader({ name, size: content.length, mtime: this.#mtime });
    await this.#append(header, content, Buffer.alloc(computePadding(content.length)));
    this.#files += 1;
  }

  async #append(...pieces: Buffer[]): Promise<void> {
    for (const piece of pieces) {
      if (piece.length > 0) await this.#handle.writeFile(piece);
      this.#hash.update(piece);
      this.#bytes += piece.length;
    }
  }
}

interface WriterOptions {
  readonly createdAt: Date;
  /** A file of that name may be replaced. */
  readonly replaces: boolean;
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new BackupError(`${file} is there already; --force replaces it`);
}
