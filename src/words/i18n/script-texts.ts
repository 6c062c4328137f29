import type { Texts } from "./complete.ts";
import { isolated } from "./isolate.ts";
import type { Say } from "./translator.ts";

/**
 * Translates in the browser, where i18next would be too large: texts by key (`script.search.results`) with `{{name}}`
 * filled in; `count` chooses the plural form. Throws for an unknown key.
 */
export function sayTexts(texts: Texts | undefined, language: string): Say {
  const plurals = new Intl.PluralRules(language);
  const find = (key: string) =>
    key
      .split(".")
      .slice(1)
      .reduce<Texts | string | undefined>((group, part) => (group as Texts | undefined)?.[part], texts);
  return (key, values = {}) => {
    const found = find(key) ?? find(`${key}_${plurals.select(values.count as number)}`);
    return (found as string).replace(/{{(\w+)}}/g, (_, name: string) => isolated(String(values[name])));
  };
}
