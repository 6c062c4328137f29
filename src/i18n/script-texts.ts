import type { Texts } from "./complete.ts";
import type { Say } from "./translator.ts";

/**
 * Says the texts of scripts, by their key (`script.search.results`), with values put in for `{{name}}`; `count` chooses
 * the plural form. As i18next does it on the server, which is too large to be sent. Throws for a key that is not there.
 */
export function sayTexts(texts: Texts | undefined, language: string): Say {
  const plurals = new Intl.PluralRules(language);
  const find = (key: string) =>
    key
      .split(".")
      .slice(1)
      .reduce<Texts | string | undefined>(
        (group, part) => (typeof group === "object" ? group[part] : undefined),
        texts,
      );
  return (key, values = {}) => {
    const found = find(key) ?? find(`${key}_${plurals.select(Number(values.count))}`);
    if (typeof found !== "string") throw new Error(`no text has the key ${key}`);
    return found.replace(/{{(\w+)}}/g, (_, name: string) => `${values[name]}`);
  };
}
