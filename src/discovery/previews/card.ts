import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Language } from "../../words/i18n/languages.ts";

/** The content of a preview picture: all that the picture depends on, so that its address can be derived from it. */
export interface PreviewCard {
  readonly language: Language;
  /** The page's subject, above its name: `Items · Weapons`. */
  readonly kicker: string;
  readonly name: string;
  /** A price, or current players. */
  readonly figure?: PreviewFigure | undefined;
  /** Pairs of a name and a value: `Damage`, `35`. */
  readonly facts: readonly PreviewFact[];
  /** A sentence below: the end of a price, or the time of figures. */
  readonly note?: string | undefined;
  /** Counts from the oldest to the newest; null if unknown. */
  readonly chart?: readonly (number | null)[] | undefined;
  /** The picture in the site's store; without one, `glyph` represents the record. */
  readonly picture?: string | undefined;
  /** Drawings of public/img/icons.svg: one, or several for a page about several subjects, each with its colour. */
  readonly glyphs: readonly PreviewGlyph[];
  readonly look: PreviewLook;
}

export interface PreviewFigure {
  readonly text: string;
  /** The previous price. */
  readonly before?: string | undefined;
  /** Beside it: `−23%`. */
  readonly badge?: string | undefined;
  /** After it, smaller: `of 200 players`. */
  readonly unit?: string | undefined;
}

export interface PreviewFact {
  readonly label: string;
  readonly text: string;
}

export interface PreviewGlyph {
  readonly name: string;
  /** `#rrggbb`, for a dark background. */
  readonly colour: string;
}

/** The site's look in its pictures. */
export interface PreviewLook {
  readonly siteName: string;
  /** `#rrggbb`, for a dark background. */
  readonly accent: string;
  /** The address of the logo among the site's files, which changes with the logo. */
  readonly logo: string;
}

/** The size of every preview, in pixels. Source: https://developers.facebook.com/docs/sharing/webmasters/images/ */
export const PREVIEW_SIZE = { width: 1200, height: 630 } as const;

/** The source files are part of the digest, because a changed design is another picture. */
const DESIGN = ["draw.ts", "lay-out.ts", "font.ts"]
  .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
  .reduce((digest, source) => digest.update(source), createHash("sha256"))
  .digest("hex");

/** The last segment of a preview's address: a digest of the picture's content, so that the address changes with it. */
export function previewFile(card: PreviewCard): string {
  const digest = createHash("sha256").update(DESIGN).update(JSON.stringify(card)).digest("hex");
  return `${digest.slice(0, 20)}.jpeg`;
}

export function isPreviewFile(part: string): boolean {
  return /^[0-9a-f]{20}\.jpeg$/.test(part);
}
