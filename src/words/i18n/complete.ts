/** Texts by their keys, nested as in their file. */
export interface Texts {
  readonly [key: string]: string | Texts;
}

/** All texts of a language, and the keys of those taken from another one. */
interface CompleteTexts {
  readonly texts: Texts;
  readonly missing: readonly string[];
}

const PLURAL = /_(zero|one|two|few|many|other)$/;
const VALUE = /{{(\w+)}}/g;

/**
 * Fills gaps in a language's texts from a complete language, so that a file older than the site shows a sentence instead
 * of an error. A text with an unknown value counts as missing, and so does each missing plural form.
 */
export function completeTexts(language: string, own: Texts, whole: Texts): CompleteTexts {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const missing = new Set<string>();
  return { texts: fill(own, whole, ""), missing: [...missing] };

  function fill(mine: Texts, theirs: Texts, path: string): Texts {
    const filled: Record<string, string | Texts> = {};
    const values = collectValues(theirs);
    for (const [key, text] of Object.entries(theirs)) {
      if (typeof text !== "string") {
        const part = mine[key];
        filled[key] = fill(typeof part === "object" ? part : {}, text, `${path}${key}.`);
        continue;
      }
      const base = key.replace(PLURAL, "");
      const wanted = base === key ? [key] : forms.map((form) => `${base}_${form}`);
      for (const each of wanted) {
        const found = mine[each];
        if (typeof found === "string" && hasOnly(values.get(base), found)) filled[each] = found;
        else {
          missing.add(path + base);
          filled[each] = String(theirs[each] ?? text);
        }
      }
    }
    return filled;
  }
}

/** The values used in any form of a text, by the text's key without its form. */
function collectValues(texts: Texts): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [key, text] of Object.entries(texts)) {
    const names = typeof text === "string" ? namesIn(text) : [];
    if (names.length === 0) continue;
    const base = key.replace(PLURAL, "");
    values.set(base, [...(values.get(base) ?? []), ...names]);
  }
  return values;
}

function hasOnly(values: readonly string[] | undefined, text: string): boolean {
  return namesIn(text).every((name) => values?.includes(name));
}

function namesIn(text: string): string[] {
  if (!text.includes("{{")) return [];
  return [...text.matchAll(VALUE)].map(([, name = ""]) => name);
}

/** The key of a value that is neither a text nor a group of texts; empty if all of it is no group; undefined: none. */
export function findOddText(value: unknown, key = ""): string | undefined {
  if (typeof value === "string" && key !== "") return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return key;
  for (const [name, each] of Object.entries(value)) {
    const odd = findOddText(each, key === "" ? name : `${key}.${name}`);
    if (odd !== undefined) return odd;
  }
  return undefined;
}
