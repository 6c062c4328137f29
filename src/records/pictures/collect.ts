import pLimit from "p-limit";
import type sharp from "sharp";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { pictureColumn } from "../stored-picture.ts";
import { listFiles } from "./files.ts";
import { makeSizes, measure, nameOfBytes } from "./make-sizes.ts";
import { checkType, misnamed as misnamedAs, PictureError } from "./read-picture.ts";
import type { PictureStore } from "./store.ts";

const loadSharp = lazyPackage<typeof sharp>("sharp");

/** A file that cannot be used, and why. */
interface RefusedFile {
  readonly name: string;
  readonly reason: string;
}

export interface CollectOptions {
  /** Only look at the files: nothing is put into the store. */
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

/** As many as there are cores to draw them, within reason: each holds a whole picture in memory. */
const AT_ONCE = 2;

/** Pictures by the names of their files, ready to be given to records. */
export class Pictures {
  /** Values of the column `picture` by the path of the file without its ending. */
  readonly #byPath: ReadonlyMap<string, string>;
  /** By the last part of that path; undefined: several files have it. */
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
   * The picture of a record: the file whose path is its id, as it is, without a leading slash or percent-encoded.
   * Otherwise it is the only file whose name is the id or its last part. `named` is the file's name in the record,
   * instead of the id.
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

interface Collected {
  readonly pictures: Pictures;
  readonly refused: RefusedFile[];
  /** A line for each picture whose name ends like that of another type. */
  readonly misnamed: string[];
}

/**
 * Puts the pictures of a folder or a ZIP archive into the store, those that are there already without making them
 * again. A file that cannot be used is in `refused`.
 * @throws UsageError if the folder or archive cannot be read; the signal's reason
 */
export async function collectPictures(
  from: string,
  store: PictureStore,
  { dryRun = false, signal, onProgress }: CollectOptions = {},
): Promise<Collected> {
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
    // An archive is read in order, and no more of it is held than is being worked on.
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
  refused.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { pictures: new Pictures(byPath), refused, misnamed: misnamed.sort() };
}

/** The value of the column `picture` for a file's content, which is in the store afterwards, except in a dry run. */
export async function keep(
  bytes: Buffer,
  fileName: string,
  store: PictureStore,
  dryRun = false,
): Promise<string> {
  // One that is there already may have another name now.
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

/** A name that moves no cursor and turns no text round where it is printed. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => {
    return `\\u{${mark.codePointAt(0)?.toString(16)}}`;
  });
}

function withoutEnding(name: string): string {
  return name.replace(/\.[a-z0-9]{2,5}$/i, "");
}
