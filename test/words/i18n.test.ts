import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ENTRY_SORTS } from "../../src/catalogue/list/queries.ts";
import { AUDITED_ACTIONS } from "../../src/db/audit-queries.ts";
import { BUILT_IN_IMPORTS, fieldsOf } from "../../src/exchange/import/kinds.ts";
import { SCHEDULES } from "../../src/exchange/imports/sources.ts";
import { STEPS } from "../../src/home/operator/first-steps.ts";
import { nicknameInput } from "../../src/nicknames/schemas.ts";
import { EMAIL_CHOICES } from "../../src/notifications/settings-queries.ts";
import { ADDRESS_FAULTS } from "../../src/notifications/webhooks/address.ts";
import { RANGE_NAMES } from "../../src/servers/history/ranges.ts";
import { SORTS } from "../../src/servers/listing.ts";
import { POLL_OPTIONS } from "../../src/servers/poller/poll-once.ts";
import { STATUSES } from "../../src/servers/queries.ts";
import { SHOP_SORTS } from "../../src/shop/shop-queries.ts";
import { TAGS } from "../../src/web/api/openapi-operation.ts";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { LANGUAGES, type Language, languageFor } from "../../src/words/i18n/languages.ts";
import { sayTexts } from "../../src/words/i18n/script-texts.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { OWN_GLYPHS } from "../../src/words/kinds/glyphs.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";

const endpoints = declaredEndpoints();

const ROOT = path.join(import.meta.dirname, "../..");
const PLURAL = /_(zero|one|two|few|many|other)$/;
const languages = [...LANGUAGES];

const TEXTS = new Map(
  languages.map((language) => {
    const file = path.join(ROOT, `src/words/i18n/${language}.json`);
    return [language, new Map(flatten(JSON.parse(readFileSync(file, "utf8"))))];
  }),
);

/** Every text of a language by its whole key. */
function textsOf(language: Language): Map<string, string> {
  return TEXTS.get(language) ?? new Map();
}

function flatten(texts: object, prefix = ""): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  );
}

/** Keys as they are used: without their plural forms. */
function baseKeys(language: Language): string[] {
  return [...new Set([...textsOf(language).keys()].map((key) => key.replace(PLURAL, "")))].sort();
}

/** What keys begin with: `mail.` and the like, which nothing else in the sources is written as. */
const GROUPS = Object.keys(JSON.parse(readFileSync(path.join(ROOT, "src/words/i18n/en.json"), "utf8"))).join(
  "|",
);

const args = ["ls-files", "--cached", "--others", "--exclude-standard", "src", "views", "public"];
const SOURCES = execFileSync("git", args, { cwd: ROOT })
  .toString()
  .split("\n")
  .filter((file) => /\.(ts|ejs|js)$/.test(file) && existsSync(path.join(ROOT, file)))
  .map((file) => readFileSync(path.join(ROOT, file), "utf8"));

const ANY = undefined;
const ANY_NAME = "[\\w-]+";

/**
 * Where keys may be put together: what they begin with, and the names that go in, or ANY for all that the language file
 * has. The compiler checks that each name has its text.
 */
const COMPOSED: Record<string, readonly string[] | undefined> = {
  "kinds.": ANY,
  "common.status.": STATUSES,
  "accounts.zone.": ANY,
  "audit.action.": AUDITED_ACTIONS,
  "catalogue.attributes.": ["aliases", "price"],
  "catalogue.filters.problems.": ["not_a_number", "below_lowest", "not_a_value"],
  "catalogue.history.fields.": ["name", "category", "description", "image", "picture", "popularity"],
  "catalogue.list.sorts.": ENTRY_SORTS,
  "catalogue.units.": ANY,
  "docs.access.": ["none", "session-or-key", "login"],
  "docs.kind.": ["discounts", "relations"],
  "docs.endpoint.": endpoints.map(({ operationId }) => operationId),
  "docs.meanings.": ["freshness", "match", "languages", "limits"],
  "edit.adapter.": ["none", "gamedig", "json"],
  "edit.option.": POLL_OPTIONS.filter((option) => option !== "type"),
  "docs.param.": endpoints.flatMap(({ operationId, input }) =>
    Object.keys(input.shape).map((name) => [`${operationId}_${name}`, name].find(hasMeaning) ?? name),
  ),
  "docs.tag.": TAGS,
  "donate.lows.at_": ["ever", "lately"],
  "donate.sort.": SHOP_SORTS,
  "imports.fetch.every.": Object.values(SCHEDULES),
  "imports.fields.": [...new Set(BUILT_IN_IMPORTS.flatMap(fieldsOf))],
  "operator.concerns.backup_": ["failed", "old", "missing"],
  "operator.steps.": STEPS,
  "operator.vocabulary.choices.": ANY,
  "operator.vocabulary.fields.": ANY,
  "operator.vocabulary.glyphs.": OWN_GLYPHS,
  "errors.": Object.values(PROBLEMS).map(({ slug }) => slug.replaceAll("-", "_")),
  "errors.no_such.": ANY,
  "nicknames.": Object.keys(nicknameInput.shape),
  "nicknames.errors.": ["first", "last"],
  "notifications.email.saved_": EMAIL_CHOICES,
  "notifications.feed.saved_": ["on", "off", "renew"],
  "relations.kinds.": ANY,
  "search.pages.": ANY,

  "servers.range.": RANGE_NAMES,
  "servers.sort.": SORTS,
  "servers.standing.legend.": ANY,
  "suggestions.outcome.": ["accepted", "declined"],
  "webhooks.address.": ADDRESS_FAULTS,
};

function hasMeaning(parameter: string): boolean {
  return textsOf("en").has(`docs.param.${parameter}`);
}

/** The keys that code and templates put together: what each begins with, and what follows the first name in it. */
function composedKeys(): { prefix: string; rest: string }[] {
  const template = new RegExp(`\`((?:${GROUPS})\\.[^\`$]*)\\$\\{[^}]+\\}([^\`]*)\``, "g");
  return SOURCES.flatMap((text) =>
    [...text.matchAll(template)].map(([, prefix = "", rest = ""]) => ({ prefix, rest })),
  );
}

/** The keys that are put together so: with each declared name, or those that the language file has. */
function namedKeys({ prefix, rest }: { prefix: string; rest: string }): string[] {
  const names = COMPOSED[prefix];
  if (names) return names.map((name) => prefix + name + rest);
  const pattern = (prefix + ANY_NAME + rest.replaceAll(/\$\{[^}]+\}/g, ANY_NAME)).replaceAll(".", "\\.");
  const whole = new RegExp(`^${pattern}$`);
  return baseKeys("en").filter((key) => whole.test(key));
}

/** The keys that code and templates ask for. */
function usedKeys(): string[] {
  const literal = new RegExp(`"((?:${GROUPS})\\.[\\w.]+)"`, "g");
  const literals = SOURCES.flatMap((text) => [...text.matchAll(literal)].map(([, key = ""]) => key));
  return [...new Set([...literals, ...composedKeys().flatMap(namedKeys)])].sort();
}

describe("texts", () => {
  const used = usedKeys();

  it.each(languages)("in %s are complete: every key that is used, and none that is not", (language) => {
    expect(used.length).toBeGreaterThan(20);
    expect(baseKeys(language)).toEqual(used);
  });

  it("have keys that the test above finds: written out, or put together where that is declared", () => {
    const prefixes = new Set(composedKeys().map(({ prefix }) => prefix));
    expect([...prefixes].sort()).toEqual(Object.keys(COMPOSED).sort());
    const added = new RegExp(`["'\`](?:${GROUPS})\\.[\\w.]*["'\`]\\s*\\+`);
    expect(SOURCES.filter((text) => added.test(text))).toEqual([]);
  });

  it.each(languages)("in %s have every plural form of the language, and no other", (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const keys = [...textsOf(language).keys()];
    const counted = new Set(keys.filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, "")));
    expect(counted.size).toBeGreaterThan(3);
    for (const base of counted) {
      const forms = keys.filter((key) => key.replace(PLURAL, "") === base);
      expect(forms.sort()).toEqual(pluralCategories.map((form) => `${base}_${form}`).sort());
    }
  });

  it("say the same in each language: the same values are put in", () => {
    const english = valuesByKey("en");
    for (const language of languages) expect(valuesByKey(language), language).toEqual(english);
  });

  it.each(languages)("in %s are never blank", (language) => {
    expect([...textsOf(language)].filter(([, text]) => text.trim() === "")).toEqual([]);
  });
});

/** The values that a text takes in, for each key; `count` may stay unsaid in one form ("one discount"). */
function valuesByKey(language: Language): Record<string, string[]> {
  const values: Record<string, Set<string>> = {};
  for (const [key, text] of textsOf(language)) {
    const base = key.replace(PLURAL, "");
    values[base] ??= new Set();
    for (const [, name = ""] of text.matchAll(/{{(\w+)}}/g)) values[base].add(name);
  }
  return Object.fromEntries(Object.entries(values).map(([key, names]) => [key, [...names].sort()]));
}

describe("translate", () => {
  it.each([
    [1, "1 скидка"],
    [2, "2 скидки"],
    [11, "11 скидок"],
    [21, "21 скидка"],
  ])("counts %i in Russian", (count, text) => {
    expect(translate("ru")("mail.digest.subject", { count })).toBe(`${text} на товары из избранного`);
  });

  it.each([
    ["חרב (3)", "\u2068חרב (3)\u2069"],
    ["سيف", "\u2068سيف\u2069"],
    ["a\u202eb\u2067c\u2069", "\u2068abc\u2069"],
    ["Меч (3)", "Меч (3)"],
  ])("isolates %j from the words around it", (name, isolated) => {
    expect(translate("en")("mail.greeting", { name })).toBe(`Hello ${isolated},`);
    expect(sayTexts({ greeting: "Hello {{name}}," }, "en")("script.greeting" as never, { name })).toBe(
      `Hello ${isolated},`,
    );
  });

  it("refuses a key that does not exist, rather than sending it", () => {
    // @ts-expect-error: the compiler refuses it too
    expect(() => translate("ru")("mail.nothing")).toThrow(/mail\.nothing/);
  });
});

describe("languageFor", () => {
  it.each([
    ["ru", "ru"],
    ["en", "en"],
    [null, "en"],
    ["de", "en"],
    ["toString", "en"],
  ])("%s is written to in %s", (told, language) => {
    expect(languageFor(told)).toBe(language);
  });
});
