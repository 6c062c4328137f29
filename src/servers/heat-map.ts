import type { LocaleWords } from "./locale-words.ts";
import { type HourOfCounts, roomText, type Week, type WeekFigures, weekOf } from "./week.ts";

/** How many days "When is there room?" looks back: four of each weekday. */
export const HEAT_MAP_DAYS = 28;

export interface HeatMap {
  /** In UTC; the script turns it into the viewer's zone. */
  week: Week;
  room: string;
  /** Its hours, for that script. */
  json: string;
}

/** The counts of one hour: its start in epoch seconds, their number and their sum. */
interface Hour {
  start: number;
  onlineCount: number;
  onlineSum: number;
}

/**
 * How full each hour of the week is: the mean share of the maximum, or the mean count where there is no maximum.
 * @returns undefined where no count is known at all
 */
export function heatMapOf(hours: Hour[], maxOnline: number | null, words: LocaleWords): HeatMap | undefined {
  const counted = hours
    .filter(({ onlineCount }) => onlineCount > 0)
    .map(({ start, onlineCount, onlineSum }): HourOfCounts => [start, onlineCount, onlineSum]);
  if (counted.length === 0) return undefined;
  const week = weekOf(counted, maxOnline, "UTC", words);
  const figures: WeekFigures = { maximum: maxOnline, hours: counted };
  return { week, room: roomText(week, words), json: JSON.stringify(figures) };
}
