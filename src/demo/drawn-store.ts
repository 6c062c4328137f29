import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { drawSize } from "../pictures/make-sizes.ts";
import type { PictureStore } from "../pictures/store.ts";
import { type PictureFile, pictureAddress } from "../records/stored-picture.ts";
import { loadDrawings } from "./drawings.ts";

/** A size takes a few milliseconds, of a thread that files and compression need too. */
const DRAWN_AT_ONCE = 2;
/** All sizes of all drawings take about this much. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * The site's store, before which the demo's drawings are drawn in the size that is asked for and kept in memory. So the
 * first start makes none, nothing is left behind where it is killed or the demo removed, and processes share nothing.
 */
export class DrawnStore implements PictureStore {
  readonly #store: PictureStore;
  readonly #limit = pLimit(DRAWN_AT_ONCE);
  readonly #kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  readonly #drawing = new Map<string, Promise<Buffer>>();

  constructor(store: PictureStore) {
    this.#store = store;
  }

  async has(name: string): Promise<boolean> {
    return (await svgOf(name)) !== undefined || this.#store.has(name);
  }

  async read(name: string, file: PictureFile): Promise<Buffer | undefined> {
    const svg = await svgOf(name);
    if (svg === undefined) return this.#store.read(name, file);
    const address = pictureAddress(name, file);
    const kept = this.#kept.get(address);
    // AVIF and JPEG are made of the large WebP, as those of any picture (src/pictures/routes.ts).
    if (kept || !file.endsWith(".webp")) return kept;
    return this.#draw(address, svg, file);
  }

  async write(name: string, files: ReadonlyMap<PictureFile, Buffer>): Promise<void> {
    if ((await svgOf(name)) === undefined) return this.#store.write(name, files);
    for (const [file, bytes] of files) this.#kept.set(pictureAddress(name, file), bytes);
  }

  /** Several requests for one size draw it once. */
  async #draw(address: string, svg: string, file: PictureFile): Promise<Buffer> {
    const drawing = this.#drawing.get(address) ?? this.#limit(() => drawSize(svg, Number.parseInt(file, 10)));
    this.#drawing.set(address, drawing);
    try {
      const bytes = await drawing;
      this.#kept.set(address, bytes);
      return bytes;
    } finally {
      this.#drawing.delete(address);
    }
  }
}

async function svgOf(name: string): Promise<string | undefined> {
  return (await loadDrawings()).byName.get(name)?.();
}
