import type { Words } from "./words.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h ago`: how long ago something was. The pages' scripts import it to keep ages true. */
export function ageText(ms: number, { t, number }: Words): string {
  const figure = (unit: number) => number(Math.floor(ms / unit));
  if (ms < MINUTE_MS) return t("script.servers.age.now");
  if (ms < HOUR_MS) return t("script.servers.age.minutes", { figure: figure(MINUTE_MS) });
  if (ms < 2 * DAY_MS) return t("script.servers.age.hours", { figure: figure(HOUR_MS) });
  return t("script.servers.age.days", { count: Math.floor(ms / DAY_MS), figure: figure(DAY_MS) });
}
