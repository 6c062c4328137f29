/** A picture in the site's own store; `width` and `height` are those of the large one, in pixels. */
export interface StoredPicture {
  /** 32 hexadecimal digits, derived from the file's content. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** The sides of thumbnails in pixels: 32 and 64 on a page, and twice as many for high-resolution screens. */
export const THUMBNAILS = [32, 64, 128] as const;
/** The longest side of a large picture. */
export const LARGE = 640;

/** A square SVG that comes with the site; all other files of the picture are made from it. It is not served itself. */
export const DRAWING = `${LARGE}.svg`;

/** A file that is served. JPEG is for mails, feeds and previews, whose programs may support neither WebP nor AVIF. */
export type ServedFile =
  | `${(typeof THUMBNAILS)[number] | typeof LARGE}.webp`
  | `${typeof LARGE}.avif`
  | `${128 | typeof LARGE}.jpeg`;

/** A file of a picture. */
export type PictureFile = ServedFile | typeof DRAWING;

const FILES: readonly PictureFile[] = [
  ...(["32.webp", "64.webp", "128.webp", "640.webp"] as const),
  ...(["640.avif", "640.jpeg", "128.jpeg", DRAWING] as const),
];
const COLUMN = /^([0-9a-f]{32})_(\d{1,4})x(\d{1,4})$/;
const ADDRESS = /^([0-9a-f]{32})-(\d+\.(?:webp|avif|jpeg|svg))$/;

/** The value of the column `picture` for a picture. */
export function pictureColumn({ name, width, height }: StoredPicture): string {
  return `${name}_${width}x${height}`;
}

/** The picture in a column; undefined without one. */
export function storedPicture(column: string | null): StoredPicture | undefined {
  const [, name, width, height] = COLUMN.exec(column ?? "") ?? [];
  return name === undefined ? undefined : { name, width: Number(width), height: Number(height) };
}

/** The last part of a file's address. */
export function pictureAddress(name: string, file: PictureFile): string {
  return `${name}-${file}`;
}

/** The file in the last part of an address. */
export function readPictureAddress(part: string): { name: string; file: PictureFile } | undefined {
  const [, name, ending] = ADDRESS.exec(part) ?? [];
  const file = FILES.find((known) => known === ending);
  return name === undefined || file === undefined ? undefined : { name, file };
}
