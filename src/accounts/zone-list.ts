import { setImmediate as nextTurn } from "node:timers/promises";
import type { Locale } from "../web/request/locale.ts";
import { listTimeZones } from "../web/request/time-zones.ts";
import { FALLBACK, intlLocale, type Language } from "../words/i18n/languages.ts";
import { TEXTS } from "../words/i18n/translate.ts";

/** A group of choices, each as `[zone, label]`. */
export interface ZoneGroup {
  group: string;
  options: [name: string, text: string][];
}

/** The first parts of zones' names that have texts, except `Etc`. */
const REGIONS = TEXTS.accounts.zone;

/**
 * Zones by the first part of their names: `Europe`, and in it `Berlin`. UTC stays first. English uses the names
 * themselves; other languages use Unicode's names: the country's if it has one zone, else the city's.
 */
export async function zoneGroups(
  own: string | null | undefined,
  { t, language }: Pick<Locale, "t" | "language">,
): Promise<ZoneGroup[]> {
  const named = await namesIn(language);
  const groups = new Map<string, ZoneGroup["options"]>();
  for (const name of listTimeZones(own)) {
    const [region = "", ...place] = name.split("/");
    const text = named.get(name) ?? (place.join(" / ") || name).replaceAll("_", " ");
    groups.set(region, [...(groups.get(region) ?? []), [name, text]]);
  }
  const byText = ([, a]: [string, string], [, b]: [string, string]) => a.localeCompare(b, language);
  const lists = [...groups].map(([region, options]) => ({
    group: isNamed(region) ? t(`accounts.zone.${region}`) : region,
    options: options.sort(byText),
  }));
  const isLater = ({ group }: ZoneGroup) => Number(group !== "UTC");
  return lists.sort((a, b) => isLater(a) - isLater(b) || a.group.localeCompare(b.group, language));
}

const known = new Map<Language, Promise<ReadonlyMap<string, string>>>();

function namesIn(language: Language): Promise<ReadonlyMap<string, string>> {
  const names = known.get(language) ?? readNames(language);
  known.set(language, names);
  return names;
}

/** How many zones are named in one turn of the event loop, because all at once would delay every other request. */
const ZONES_A_TURN = 10;

async function readNames(language: Language): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (language === FALLBACK) return names;
  for (const [index, zone] of listTimeZones().entries()) {
    if (index % ZONES_A_TURN === 0) await nextTurn();
    const text = findPlaceName(zone, language);
    if (text !== undefined && isNamed(region(zone))) names.set(zone, text);
  }
  // Some languages name the hours of several zones alike, such as `MEZ`, which distinguishes no places.
  return new Set(names.values()).size === names.size ? names : new Map();
}

function isNamed(region: string): region is keyof typeof REGIONS {
  return Object.hasOwn(REGIONS, region);
}

function region(zone: string): string {
  return zone.slice(0, zone.indexOf("/"));
}

/**
 * The name of a zone's place: CLDR's "generic location", which Intl returns if a language has no short name of hours.
 */
function findPlaceName(timeZone: string, language: Language): string | undefined {
  const format = new Intl.DateTimeFormat(intlLocale(language), { timeZone, timeZoneName: "shortGeneric" });
  return format.formatToParts(0).find(({ type }) => type === "timeZoneName")?.value;
}
