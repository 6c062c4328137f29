import ejs from "ejs";
import type { Locale } from "../../web/request/locale.ts";
import { intlLocale } from "../../words/i18n/languages.ts";
import type { KeyUseShown } from "./use-queries.ts";

const HEIGHT = 32;
const DAY_MS = 86_400_000;

/** A key's calls a day as bars, refused ones on top of successful ones; each shows its figures under the pointer. */
export function drawKeyUse(
  days: KeyUseShown["days"],
  today: Date,
  { t, language, format: { number } }: Pick<Locale, "t" | "language" | "format">,
): string {
  const dates = new Intl.DateTimeFormat(intlLocale(language), {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
  const most = Math.max(1, ...days.map(({ requests, refused }) => requests + refused));
  // The minimum height makes a day with a single call visible.
  const tall = (calls: number) => (calls === 0 ? 0 : Math.max(1, Math.round((calls / most) * HEIGHT)));
  const bars = days.map(({ requests, refused }, place) => {
    const day = dates.format(new Date(today.getTime() - (days.length - 1 - place) * DAY_MS));
    const text = t("api_keys.use.day", { day, requests: number(requests), refused: number(refused) });
    const [whole, answered] = [tall(requests + refused), tall(requests)];
    return (
      `<g><title>${ejs.escapeXML(text)}</title>${bar("refused", place, whole, whole - answered)}` +
      `${bar("answered", place, answered, answered)}</g>`
    );
  });
  return (
    `<svg class="key-use" viewBox="0 0 ${days.length} ${HEIGHT}" preserveAspectRatio="none" role="img" ` +
    `aria-label="${ejs.escapeXML(t("api_keys.use.chart", { most: number(most) }))}">${bars.join("")}</svg>`
  );
}

function bar(what: string, place: number, top: number, height: number): string {
  if (height <= 0) return "";
  return `<rect class="key-${what}" x="${place}.1" y="${HEIGHT - top}" width=".8" height="${height}"/>`;
}
