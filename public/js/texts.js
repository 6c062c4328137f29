/** What scripts say, in the page's language: from the file of texts that the page loads before any module. */

const plurals = new Intl.PluralRules(document.documentElement.lang || "en");

/**
 * A text by its key (`script.search.results`), with values put in for `{{name}}`; `count` chooses the plural form.
 * As i18next does it on the server, which is too large to be sent. Throws for a key that is not there.
 */
export function text(key, values = {}) {
  const found = find(key) ?? find(`${key}_${plurals.select(values.count)}`);
  if (typeof found !== "string") throw new Error(`no text has the key ${key}`);
  return found.replace(/{{(\w+)}}/g, (_, name) => values[name]);
}

function find(key) {
  return key
    .split(".")
    .slice(1)
    .reduce((texts, part) => texts?.[part], window.siteTexts);
}
