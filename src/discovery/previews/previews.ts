import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { PictureFiles } from "../../records/pictures/picture-files.ts";
import { LARGE } from "../../records/stored-picture.ts";
import type { Assets } from "../../web/assets/build.ts";
import { notFound, siteIsBusy } from "../../web/pages/errors.ts";
import { admitFew } from "../../web/server/admission.ts";
import { isPreviewFile, type PreviewCard, previewFile } from "./card.ts";
import { drawPicture } from "./drawer.ts";
import { layOut } from "./lay-out.ts";

/** Enough for some 600 pictures. */
const KEPT_BYTES = 32 * 1024 * 1024;
const FOREVER = "public, max-age=31536000, immutable";

/** The subject of a request for a preview: its card, and the path of its current picture. */
export interface AskedPreview {
  readonly card: PreviewCard;
  readonly path: string;
}

/** Serves the preview pictures of the site's pages: drawn at their first request, cached in memory. */
export class Previews {
  readonly #pictures: PictureFiles;
  readonly #assets: Assets;
  readonly #kept: LRUCache<string, Buffer>;
  /** One at a time with a pause after each, so that a crawler with 50,000 addresses leaves the site its cores. */
  readonly #admit = admitFew();

  constructor(pictures: PictureFiles, assets: Assets, keptBytes = KEPT_BYTES) {
    this.#pictures = pictures;
    this.#assets = assets;
    this.#kept = new LRUCache({ maxSize: keptBytes, sizeCalculation: ({ length }) => length });
  }

  /**
   * Handles a path that ends in `:file`, the version of the picture. An old version redirects to the current one, so
   * that only current pictures are drawn; `find` resolves to undefined for an unknown page.
   */
  serve<Params extends { file: string }>(
    find: (req: Request<Params>) => Promise<AskedPreview | undefined>,
  ): RequestHandler<Params> {
    const draw = this.#admit<Params>(async (req, res) => {
      // Another request may have drawn it while this one waited.
      if (this.#sendKept(req, res)) return;
      const asked = await find(req);
      // Ends the snapshot, so that the database holds nothing during the drawing.
      req.answerScope?.end();
      if (asked === undefined) throw notFound("page");
      const file = previewFile(asked.card);
      if (file !== req.params.file || req.pathLanguage === undefined) return lead(res, asked.path);
      send(res, await this.#draw(asked.card, file), file);
    });
    return (req, res, next) => {
      if (!isPreviewFile(req.params.file)) return next();
      if (!this.#sendKept(req, res)) return draw(req, res, next);
    };
  }

  /** Bytes of the pictures in memory. */
  get keptBytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Needs no database: whatever the path, the version identifies the whole content of the picture. */
  #sendKept<Params extends { file: string }>(req: Request<Params>, res: Response): boolean {
    const { file } = req.params;
    const kept = req.pathLanguage === undefined ? undefined : this.#kept.get(file);
    if (kept) send(res, kept, file);
    return kept !== undefined;
  }

  async #draw(card: PreviewCard, file: string): Promise<Buffer> {
    const { picture } = card;
    const found = picture === undefined ? undefined : await this.#pictures.find(picture, `${LARGE}.webp`);
    const logo = this.#assets.find(card.look.logo.slice("/assets/".length))?.body;
    const drawn = await drawWithout(card, { record: found?.bytes, logo: logo && Buffer.from(logo) });
    this.#kept.set(file, drawn);
    return drawn;
  }
}

/** Omits a record's picture or a logo that cannot be drawn. */
async function drawWithout(card: PreviewCard, pictures: Parameters<typeof layOut>[1]): Promise<Buffer> {
  try {
    return await drawPicture(layOut(card, pictures));
  } catch {
    try {
      return await drawPicture(layOut(card, { record: undefined, logo: undefined }));
    } catch {
      // The machine has most likely run out of memory or processes.
      throw siteIsBusy();
    }
  }
}

function send(res: Response, picture: Buffer, file: string): void {
  res.set({ "Content-Type": "image/jpeg", "Cache-Control": FOREVER, ETag: `"${file}"` });
  if (res.req.fresh) return void res.status(304).end();
  res.set("Content-Length", String(picture.length)).end(picture);
}

function lead(res: Response, path: string): void {
  res.set("Cache-Control", "no-cache").redirect(302, path);
}
