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
      .reduce<Texts | string | undefined>((group, part) => (group as Texts | undefined)?.[part], texts);
  return (key, values = {}) => {
    const found = find(key) ?? find(`${key}_${plurals.select(values.count as number)}`);
    return (found as string).replace(/{{(\w+)}}/g, (_, name: string) => values[name] as string);
  };
}
