/** Shows the heat map in the viewer's time zone. Without scripts it is in UTC and says so. */
import {
  computeWeek,
  hourLabel,
  roomText,
  type WeekCell,
  type WeekFigures,
} from "../../../src/servers/week.ts";
import { words } from "./language.ts";

const { offsetText, zone, zoneName } = window.viewerTimes;

const table = document.querySelector<HTMLTableElement>("[data-week]");
if (table) showLocalWeek(table);

function showLocalWeek(table: HTMLTableElement) {
  const { maximum, hours }: WeekFigures = JSON.parse(table.dataset.week ?? "");
  const week = computeWeek(hours, maximum, zone, words);
  table.querySelectorAll("th + th").forEach((label, hour) => {
    label.textContent = hourLabel(hour, week.minute);
  });
  const cells = week.days.flatMap((day) => day.cells);
  table.querySelectorAll("td").forEach((place, index) => {
    const { level, text } = cells[index] as WeekCell;
    place.textContent = text;
    place.className = level === null ? "" : `heat-${level}`;
  });
  const offset = offsetText(new Date());
  (document.querySelector("[data-week-zone]") as HTMLElement).textContent =
    offset === zoneName
      ? words.t("script.servers.week.zone_only", { zone: zoneName })
      : words.t("script.servers.week.zone", { zone: zoneName, offset });
  const room = document.querySelector("[data-room]") as HTMLElement;
  room.textContent = roomText(week, words);
  room.hidden = room.textContent === "";
}
