import type * as transliteration from "transliteration";
import { lazyPackage } from "../settings/lazy-package.ts";

const loadTransliteration = lazyPackage<typeof transliteration>("transliteration");

/** Leaves space for a number within the 200 characters of an id. */
const MAX_LENGTH = 180;

/** Text as an id: lower-case Latin letters, digits and single dashes. Empty if the text has none of these. */
export function createSlug(text: string): string {
  const parts = text.normalize("NFC").replace(/['`’ʼ]/g, " ");
  // Transliteration writes some letters with an apostrophe (Қ as K'), which does not separate words.
  const latin = loadTransliteration()
    .transliterate(parts)
    .replace(/['`’ʼ]/g, "")
    .toLowerCase();
  const dashed = latin.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return dashed.slice(0, MAX_LENGTH).replace(/-$/, "");
}

/**
 * Creates ids from texts: the same texts in the same order get the same ids in every run. A repeated text gets -2, -3
 * and so on, skipping ids that are taken.
 */
export function createIdMaker(): (text: string) => string {
  const uses = new Map<string, number>();
  return (text) => {
    const slug = createSlug(text);
    if (slug === "") return "";
    let use = (uses.get(slug) ?? 0) + 1;
    let id = use === 1 ? slug : `${slug}-${use}`;
    while (use > 1 && uses.has(id)) id = `${slug}-${++use}`;
    uses.set(slug, use);
    if (id !== slug) uses.set(id, 1);
    return id;
  };
}
