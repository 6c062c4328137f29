/** What the shop says of time in words: the same functions on the server and in the browser. Nothing else is in here. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h 20 min`: how long until something happens, never longer than it is; finer the nearer it comes. */
export function leftText(ms) {
  if (ms < MINUTE_MS) return "less than a minute";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  const [days, hours] = [Math.floor(ms / DAY_MS), Math.floor(ms / HOUR_MS) % 24];
  if (ms < 6 * HOUR_MS) return joined([hours, "h"], [Math.floor(ms / MINUTE_MS) % 60, "min"]);
  if (days < 2) return joined([days, "day"], [hours, "h"]);
  return `${days} days`;
}

/** `ends in 3 h`, and of what is over `has ended`. */
export function endText(ms) {
  return ms <= 0 ? "has ended" : `ends in ${leftText(ms)}`;
}

/** `starts in 3 h`, and of what has begun `has started`. */
export function startText(ms) {
  return ms <= 0 ? "has started" : `starts in ${leftText(ms)}`;
}

/** `3 days 4 h 30 min`: how long something lasts, exactly to the minute. */
export function exactLengthText(ms) {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1) return "less than a minute";
  const days = Math.floor(minutes / 1440);
  return joined(
    [days, days === 1 ? "day" : "days"],
    [Math.floor(minutes / 60) % 24, "h"],
    [minutes % 60, "min"],
  );
}

/** Counts with their units; what is 0 is left out. */
function joined(...parts) {
  return parts
    .filter(([count]) => count > 0)
    .flat()
    .join(" ");
}
