import type { Say } from "../../words/i18n/translator.ts";

/** Discounts as text, for the server and the browser. `t` translates a key with its values. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h 20 min`: the time until an event, rounded down, and more exact the nearer it is. */
export function leftText(t: Say, ms: number): string {
  if (ms < MINUTE_MS) return t("script.donate.moment");
  if (ms < HOUR_MS) return joined(minutes(t, Math.floor(ms / MINUTE_MS)));
  const wholeDays = Math.floor(ms / DAY_MS);
  const wholeHours = Math.floor(ms / HOUR_MS) % 24;
  if (ms < 6 * HOUR_MS) return joined(hours(t, wholeHours), minutes(t, Math.floor(ms / MINUTE_MS) % 60));
  if (wholeDays < 2) return joined(days(t, wholeDays), hours(t, wholeHours));
  return joined(days(t, wholeDays));
}

/** `3 h left`, or `has ended`. */
export function endText(t: Say, ms: number): string {
  if (ms <= 0) return t("script.donate.ended");
  return ms < MINUTE_MS ? t("script.donate.ends_soon") : t("script.donate.ends", { left: leftText(t, ms) });
}

/** `starts in 3 h`, or `has started`. */
export function startText(t: Say, ms: number): string {
  if (ms <= 0) return t("script.donate.started");
  return ms < MINUTE_MS
    ? t("script.donate.starts_soon")
    : t("script.donate.starts", { left: leftText(t, ms) });
}

/** `3 days 4 h 30 min`: a length of time, to the minute. */
export function exactLengthText(t: Say, ms: number): string {
  const all = Math.round(ms / MINUTE_MS);
  if (all < 1) return t("script.donate.moment");
  return joined(days(t, Math.floor(all / 1440)), hours(t, Math.floor(all / 60) % 24), minutes(t, all % 60));
}

function days(t: Say, count: number): string | false {
  return count > 0 && t("script.donate.days", { count });
}

function hours(t: Say, count: number): string | false {
  return count > 0 && t("script.donate.hours", { count });
}

function minutes(t: Say, count: number): string | false {
  return count > 0 && t("script.donate.minutes", { count });
}

/** Leaves out parts that are 0. */
function joined(...parts: (string | false)[]): string {
  return parts.filter(Boolean).join(" ");
}
