import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as transliteration from "transliteration";
import { lazyPackage } from "../../settings/lazy-package.ts";

const loadTransliteration = lazyPackage<typeof transliteration>("transliteration");

const PACKAGE = "@expo-google-fonts/onest";

const { resolve } = createRequire(import.meta.url);

/**
 * The pages' font as TrueType files for the libraries inside sharp, which cannot read the pages' WOFF2. It comes with
 * the program, because a machine may have no font at all.
 */
export const FONT_FILES: readonly string[] = ["400Regular", "700Bold"].map((style) =>
  resolve(`${PACKAGE}/${style}/Onest_${style}.ttf`),
);

/**
 * Rewrites a text for the font. Letters that it lacks, such as Chinese or Arabic, become Latin letters rather than
 * empty boxes. Characters without a reading, such as emoji, are left out. "" if nothing is left.
 */
export function writable(text: string): string {
  const clean = text.normalize("NFC").toWellFormed().replace(/\s+/gu, " ").replace(UNSEEN, "");
  const written = clean.replace(/\S+/gu, (word) => (isWritable(word) ? word : romanised(word)));
  return written.replace(/\s+/gu, " ").trim();
}

/** True if the font has all letters of a text. */
export function isWritable(text: string): boolean {
  return [...text].every((letter) => drawn().has(letter.codePointAt(0) ?? 0));
}

/** Control characters, including those that change the direction of text, and invisible ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]|\p{Variation_Selector}/gu;

/** Letters of the font stay as they are, even in a word that is romanised. */
function romanised(word: string): string {
  const parts: string[] = [];
  let isLastWritable: boolean | undefined;
  for (const letter of word) {
    const isNextWritable = isWritable(letter);
    if (isNextWritable === isLastWritable) parts[parts.length - 1] += letter;
    else parts.push(letter);
    isLastWritable = isNextWritable;
  }
  const letters = parts.map((part) => (isWritable(part) ? part : loadTransliteration().transliterate(part)));
  return [...letters.join("")].filter(isWritable).join("");
}

let known: ReadonlySet<number> | undefined;

function drawn(): ReadonlySet<number> {
  known ??= readCoverage(readFileSync(FONT_FILES.at(-1) ?? ""));
  return known;
}

/**
 * The code points that a TrueType font has glyphs for, from the table `cmap` in format 4.
 *
 * Source: https://learn.microsoft.com/en-us/typography/opentype/spec/cmap#format-4-segment-mapping-to-delta-values
 */
function readCoverage(font: Buffer): ReadonlySet<number> {
  const points = new Set([0x20, 0xa0]);
  for (const table of subtables(font)) {
    const size = table.readUInt16BE(6);
    for (let at = 0; at < size; at += 2) {
      const [end, start] = [table.readUInt16BE(14 + at), table.readUInt16BE(16 + size + at)];
      for (let point = start; point <= end && point < 0xffff; point++) points.add(point);
    }
  }
  return points;
}

/** The subtables of `cmap` in format 4. */
function subtables(font: Buffer): Buffer[] {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const entry = tables.find((at) => font.toString("latin1", at, at + 4) === "cmap");
  if (entry === undefined) return [];
  const cmap = font.subarray(font.readUInt32BE(entry + 8));
  return Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index))
    .map((offset) => cmap.subarray(offset))
    .filter((table) => table.readUInt16BE(0) === 4);
}
