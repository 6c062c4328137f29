/** The hours of a week as the heat map shows them: the same functions on the server and in the browser. */

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const LEVELS = 6;

/**
 * Sorts hourly figures by weekday and hour of a time zone. Hours of UTC begin at half past in some zones: `minute` says
 * at which minute, and is null where that changed within these weeks (Lord Howe Island). An hour that a change of the
 * clocks repeats counts twice, one that it skips not at all.
 */
export function weekOf(hours, maximum, zone) {
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
  const whole = maximum || Math.max(1, ...means.flat());
  return {
    minute: minutes.size === 1 ? [...minutes][0] : null,
    shares: Boolean(maximum),
    days: DAYS.map((name, day) => ({ name, cells: means[day].map((mean) => cellOf(mean, whole, maximum)) })),
  };
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
export function roomText({ days, minute, shares }) {
  const known = days.flatMap(({ name, cells }) =>
    cells.flatMap(({ value }, hour) =>
      value === null ? [] : [{ value, when: `${name} ${hourLabel(hour, minute || 0).padEnd(5, ":00")}` }],
    ),
  );
  if (known.length < 24) return "";
  const ordered = known.sort((a, b) => a.value - b.value);
  const figure = ({ value }) => (shares ? `${value} % full` : `${value} online`);
  const [emptiest, fullest] = [ordered[0], ordered[ordered.length - 1]];
  return `Most room: ${emptiest.when} (${figure(emptiest)}). Least: ${fullest.when} (${figure(fullest)}).`;
}
