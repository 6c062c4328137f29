import type { Preview } from "../../web/look/site.ts";
import { formatFor } from "../../web/request/format.ts";
import type { Locale } from "../../web/request/locale.ts";
import { LANGUAGES, type Language } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { absoluteUrl, localPaths, type Paths } from "../../words/urls.ts";
import { PREVIEW_SIZE, type PreviewCard, previewFile } from "./card.ts";
import { writable } from "./font.ts";

/** The path of a card's picture. `pathOf` builds it from the paths in the card's language and the file. */
export function previewPath(card: PreviewCard, pathOf: (paths: Paths, file: string) => string): string {
  return pathOf(localPaths(`/${card.language}`), previewFile(card));
}

/** A page's preview for its head; `site` is the base of addresses. */
export function createPreview(
  card: PreviewCard,
  pathOf: (paths: Paths, file: string) => string,
  { baseUrl }: { readonly baseUrl: string },
): Preview {
  return {
    url: absoluteUrl(baseUrl, previewPath(card, pathOf)),
    alt: renderAlt(card),
    ...PREVIEW_SIZE,
    locale: territoryLocale(card.language),
    otherLocales: LANGUAGES.filter((language) => language !== card.language).map(territoryLocale),
  };
}

/** A language with the territory of most of its speakers, as the protocol requires: `ru_RU`. */
function territoryLocale(language: Language): string {
  const { language: code, region } = new Intl.Locale(language).maximize();
  return region === undefined ? code : `${code}_${region}`;
}

/** The locale of a picture, which is the same for every viewer: times are in UTC. */
export function previewLocale(language: Language): Locale {
  const prefix = `/${language}`;
  return {
    language,
    prefix,
    paths: localPaths(prefix),
    t: translate(language),
    format: formatFor(language),
  };
}

/** The first of several names that the font can write; otherwise the first one as far as possible, else the id. */
export function previewName(names: readonly string[], id: string): string {
  const whole = names.find((name) => writable(name) === name.normalize("NFC").replace(/\s+/gu, " ").trim());
  return whole ?? (names.find((name) => writable(name) !== "") || id);
}

function renderAlt({ name, kicker, figure, facts, note }: PreviewCard): string {
  const figures = figure && [figure.text, figure.unit].filter(Boolean).join(" ");
  return [name, kicker, figures, ...facts.map(({ label, text }) => `${label}: ${text}`), note]
    .filter(Boolean)
    .join(" · ");
}
