/**
 * The hours of a week as the heat map shows them: the same functions on the server and in the browser. `words` is how
 * either of them writes (see servers-words.js).
 */

/** As Intl calls them where `clockOf` asks; what readers see is in their language. */
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86_400_000;
const A_MONDAY = Date.UTC(2026, 0, 5);
const LEVELS = 6;

/**
 * Sorts hourly figures by weekday and hour of a time zone. Hours of UTC begin at half past in some zones: `minute` says
 * at which minute, and is null where that changed within these weeks (Lord Howe Island). An hour that a change of the
 * clocks repeats counts twice, one that it skips not at all.
 */
export function weekOf(hours, maximum, zone, { locale }) {
  const sums = DAYS.map(() => Array.from({ length: 24 }, () => ({ sum: 0, count: 0 })));
  const clock = clockOf(zone);
  const minutes = new Set();
  for (const [start, count, sum] of hours) {
    const { day, hour, minute } = clock(start);
    minutes.add(minute);
    sums[day][hour].sum += sum;
    sums[day][hour].count += count;
  }
  const means = sums.map((day) => day.map(({ sum, count }) => (count === 0 ? null : sum / count)));
  const names = dayNames(locale);
  const whole = maximum || Math.max(1, ...means.flat());
  return {
    minute: minutes.size === 1 ? [...minutes][0] : null,
    shares: Boolean(maximum),
    days: names.map((name, day) => ({ name, cells: means[day].map((mean) => cellOf(mean, whole, maximum)) })),
  };
}

function dayNames(locale) {
  const format = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  return DAYS.map((_, day) => format.format(A_MONDAY + day * DAY_MS));
}

function clockOf(zone) {
  const options = { timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const format = new Intl.DateTimeFormat("en-GB", options);
  return (seconds) => {
    const parts = Object.fromEntries(
      format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
    );
    return { day: DAYS.indexOf(parts.weekday), hour: Number(parts.hour), minute: Number(parts.minute) };
  };
}

function cellOf(mean, whole, maximum) {
  if (mean === null) return { value: null, level: null, text: "–" };
  const share = mean / whole;
  const value = Math.round(maximum ? share * 100 : mean);
  return { value, level: Math.min(LEVELS - 1, Math.floor(share * LEVELS)), text: String(value) };
}

/** `20` or, where hours begin at half past, `20:30`. */
export function hourLabel(hour, minute) {
  const two = (number) => String(number).padStart(2, "0");
  return minute ? `${two(hour)}:${two(minute)}` : two(hour);
}

/** When there is most room and when least, in words; blank while less than a day's worth of hours is known. */
export function roomText({ days, minute, shares }, { t, number }) {
  const known = days.flatMap(({ name, cells }) =>
    cells.flatMap(({ value }, hour) =>
      value === null ? [] : [{ value, when: `${name} ${hourLabel(hour, minute || 0).padEnd(5, ":00")}` }],
    ),
  );
  if (known.length < 24) return "";
  const ordered = known.sort((a, b) => a.value - b.value);
  const figure = ({ value }) =>
    shares
      ? t("script.servers.week.full", { figure: number(value) })
      : t("script.servers.week.online", { figure: number(value) });
  const [emptiest, fullest] = [ordered[0], ordered[ordered.length - 1]];
  return t("script.servers.week.room", {
    emptiest: emptiest.when,
    least: figure(emptiest),
    fullest: fullest.when,
    most: figure(fullest),
  });
}
