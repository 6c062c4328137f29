/**
 * The countries that the generator has names for: ISO 3166-1 alpha-2 codes in lower case, with the country's
 * name for a select box, ordered by English name. Each has a file of lists in `names/`.
 */
export const countries = [
  { code: "ar", name: { en: "Argentina", ru: "Аргентина" } },
  { code: "am", name: { en: "Armenia", ru: "Армения" } },
  { code: "br", name: { en: "Brazil", ru: "Бразилия" } },
  { code: "bg", name: { en: "Bulgaria", ru: "Болгария" } },
  { code: "cn", name: { en: "China", ru: "Китай" } },
  { code: "cz", name: { en: "Czechia", ru: "Чехия" } },
  { code: "dk", name: { en: "Denmark", ru: "Дания" } },
  { code: "fi", name: { en: "Finland", ru: "Финляндия" } },
  { code: "fr", name: { en: "France", ru: "Франция" } },
  { code: "ge", name: { en: "Georgia", ru: "Грузия" } },
  { code: "de", name: { en: "Germany", ru: "Германия" } },
  { code: "gr", name: { en: "Greece", ru: "Греция" } },
  { code: "hu", name: { en: "Hungary", ru: "Венгрия" } },
  { code: "in", name: { en: "India", ru: "Индия" } },
  { code: "id", name: { en: "Indonesia", ru: "Индонезия" } },
  { code: "ie", name: { en: "Ireland", ru: "Ирландия" } },
  { code: "it", name: { en: "Italy", ru: "Италия" } },
  { code: "jp", name: { en: "Japan", ru: "Япония" } },
  { code: "kz", name: { en: "Kazakhstan", ru: "Казахстан" } },
  { code: "mx", name: { en: "Mexico", ru: "Мексика" } },
  { code: "nl", name: { en: "Netherlands", ru: "Нидерланды" } },
  { code: "no", name: { en: "Norway", ru: "Норвегия" } },
  { code: "pl", name: { en: "Poland", ru: "Польша" } },
  { code: "pt", name: { en: "Portugal", ru: "Португалия" } },
  { code: "ro", name: { en: "Romania", ru: "Румыния" } },
  { code: "ru", name: { en: "Russia", ru: "Россия" } },
  { code: "rs", name: { en: "Serbia", ru: "Сербия" } },
  { code: "kr", name: { en: "South Korea", ru: "Южная Корея" } },
  { code: "es", name: { en: "Spain", ru: "Испания" } },
  { code: "se", name: { en: "Sweden", ru: "Швеция" } },
  { code: "tr", name: { en: "Turkey", ru: "Турция" } },
  { code: "ua", name: { en: "Ukraine", ru: "Украина" } },
  { code: "gb", name: { en: "United Kingdom", ru: "Великобритания" } },
  { code: "us", name: { en: "United States", ru: "США" } },
  { code: "vn", name: { en: "Vietnam", ru: "Вьетнам" } },
] as const;

export type CountryCode = (typeof countries)[number]["code"];

/** All country codes, in the order of {@link countries}, for a schema's enum. */
export const countryCodes: readonly CountryCode[] = countries.map((country) => country.code);

/** The countries for a select box: code and name in a language, sorted by name; `locale` is the one for Intl. */
export function countriesIn(language: string, locale: string): [CountryCode, string][] {
  const names = new Intl.DisplayNames(locale, { type: "region" });
  const { compare } = new Intl.Collator(locale);
  return countries
    .map(({ code, name }): [CountryCode, string] => {
      const known: Record<string, string> = name;
      return [code, known[language] ?? names.of(code.toUpperCase()) ?? code];
    })
    .sort(([, a], [, b]) => compare(a, b));
}
