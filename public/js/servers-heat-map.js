/** Makes the heat map's hours those of the viewer's time zone. Without this script they are UTC, and it says so. */
import { hourLabel, roomText, weekOf } from "../../src/servers/week.ts";
import { words } from "./servers-language.ts";

const { offsetText, zone, zoneName } = window.viewerTimes;

const table = document.querySelector("[data-week]");
if (table) showLocalWeek();

function showLocalWeek() {
  const { maximum, hours } = JSON.parse(table.dataset.week);
  const week = weekOf(hours, maximum, zone, words);
  const [, ...labels] = table.tHead.rows[0].cells;
  labels.forEach((label, hour) => {
    label.textContent = hourLabel(hour, week.minute);
  });
  week.days.forEach(({ cells }, day) => {
    const [, ...places] = table.tBodies[0].rows[day].cells;
    places.forEach((place, hour) => {
      const { level, text } = cells[hour];
      place.textContent = text;
      place.className = level === null ? "" : `heat-${level}`;
    });
  });
  const offset = offsetText(new Date());
  document.querySelector("[data-week-zone]").textContent =
    offset === zoneName
      ? words.t("script.servers.week.zone_only", { zone: zoneName })
      : words.t("script.servers.week.zone", { zone: zoneName, offset });
  const room = document.querySelector("[data-room]");
  room.textContent = roomText(week, words);
  room.hidden = room.textContent === "";
}
