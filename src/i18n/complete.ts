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
        if (typeof found === "string" && hasOnly(valuesOf(base, theirs), found)) filled[each] = found;
        else {
          missing.add(path + base);
          filled[each] = String(theirs[each] ?? text);
        }
      }
    }
    return filled;
  }
}

/** The values used in any form of a text. */
function valuesOf(base: string, texts: Texts): Set<string> {
  const all = Object.entries(texts).flatMap(([key, text]) =>
    typeof text === "string" && key.replace(PLURAL, "") === base ? namesIn(text) : [],
  );
  return new Set(all);
}

function hasOnly(values: Set<string>, text: string): boolean {
  return namesIn(text).every((name) => values.has(name));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(VALUE)].map(([, name = ""]) => name);
}
