import type { Words } from "./servers-words.d.ts";

/** Start in epoch seconds, how many counts were measured in that hour, and their sum. */
export type HourOfCounts = [start: number, count: number, sum: number];

export interface WeekCell {
  /** Per cent of the maximum, or players where there is no maximum; null where nothing was measured. */
  value: number | null;
  /** 0 (empty) to 5 (full). */
  level: number | null;
  text: string;
}

export interface Week {
  /** At which minute of the zone's hours these hours begin; null where that is not one for all. */
  minute: number | null;
  /** True where the values are per cent of the maximum. */
  shares: boolean;
  /** Monday first; 24 cells each. */
  days: { name: string; cells: WeekCell[] }[];
}

export function weekOf(hours: HourOfCounts[], maximum: number | null, zone: string, words: Words): Week;
export function hourLabel(hour: number, minute: number | null): string;
export function roomText(week: Week, words: Words): string;
