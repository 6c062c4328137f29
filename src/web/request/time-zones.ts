/**
 * Current names of zones whose original names are still in Unicode, and so in Node and browsers.
 *
 * Source: https://github.com/eggert/tz/blob/main/backward and https://unicode.org/reports/tr35/#Time_Zone_Identifiers
 */
const NAMES_OF_TODAY: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/**
 * The current name of a time zone, from any name that Intl knows. Undefined for anything else, including offsets such
 * as `+05:00`, which have no summer time and which Intl accepts since Node 22.
 */
export function zoneNamed(name: string): string | undefined {
  if (!/^[a-z][\w+/-]{0,63}$/i.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions();
    return nameOfToday(timeZone);
  } catch {
    return undefined;
  }
}

/** Only these zones are places. */
const REGION = /^(?!Etc\/)[^/]+\//;

/**
 * The name of a zone's place, such as `Москва`: CLDR's "generic location", which Intl returns if a language has no short
 * name of hours. English, and a zone without a place, use the zone's current name.
 */
export function placeName(timeZone: string, locale: string): string {
  if (locale.startsWith("en") || !REGION.test(timeZone)) return nameOfToday(timeZone);
  const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "shortGeneric" });
  const name = format.formatToParts(0).find(({ type }) => type === "timeZoneName");
  return name?.value ?? nameOfToday(timeZone);
}

/** All zones to choose from, UTC first, then by name; includes `own` under its given name. */
export function listTimeZones(own?: string | null): string[] {
  const named = new Set(Intl.supportedValuesOf("timeZone").map(nameOfToday));
  if (own !== undefined && own !== null) named.add(own);
  named.delete("UTC");
  return ["UTC", ...[...named].sort()];
}

/** The same with the user's own zone first, if they have chosen one. */
export function zoneChoices(own: string | undefined): string[] {
  return [...new Set([...(own === undefined ? [] : [own]), ...listTimeZones(own)])];
}

/** The current name of a zone that Intl names. */
export function nameOfToday(name: string): string {
  return NAMES_OF_TODAY[name] ?? name;
}
