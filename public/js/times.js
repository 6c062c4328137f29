/**
 * Makes the page's times, which the server writes in UTC, those of the viewer's own time zone. It runs before anything
 * is shown and goes through the page while that is being read, so that nothing moves under the reader's eyes: a module
 * would come too late for that. Modules read `window.viewerTimes`.
 *
 * Who has chosen a zone in the profile gets every time in that one from the server (`data-time-zone`); those stay.
 */
(() => {
  /** Browsers go on calling some zones by old names; the same list is in src/http/time-zones.ts. */
  const NAMES_OF_TODAY = {
    "Africa/Asmera": "Africa/Asmara",
    "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
    "America/Catamarca": "America/Argentina/Catamarca",
    "America/Coral_Harbour": "America/Atikokan",
    "America/Cordoba": "America/Argentina/Cordoba",
    "America/Godthab": "America/Nuuk",
    "America/Indianapolis": "America/Indiana/Indianapolis",
    "America/Jujuy": "America/Argentina/Jujuy",
    "America/Louisville": "America/Kentucky/Louisville",
    "America/Mendoza": "America/Argentina/Mendoza",
    "Asia/Calcutta": "Asia/Kolkata",
    "Asia/Katmandu": "Asia/Kathmandu",
    "Asia/Rangoon": "Asia/Yangon",
    "Asia/Saigon": "Asia/Ho_Chi_Minh",
    "Atlantic/Faeroe": "Atlantic/Faroe",
    "Europe/Kiev": "Europe/Kyiv",
    "Pacific/Enderbury": "Pacific/Kanton",
    "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk",
  };
  const chosen = document.documentElement.dataset.timeZone;
  const zone = knownZone(chosen) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zoneName = NAMES_OF_TODAY[zone] ?? zone;
  const options = { timeZone: zone };
  const language = document.documentElement.lang;
  const locale = language === "en" ? "en-GB" : language;
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", ...options });
  const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...options });
  const offsets = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset", ...options });

  /** A browser that is older than the zone's name goes by its own zone. */
  function knownZone(name) {
    try {
      return name && new Intl.DateTimeFormat("en-GB", { timeZone: name }) && name;
    } catch {
      return undefined;
    }
  }

  /** `UTC+5:45`, as it is there at a time. */
  function offsetText(date) {
    const { value } = offsets.formatToParts(date).find(({ type }) => type === "timeZoneName");
    return value.replace(/^GMT/, "UTC").replace(/^UTC\+0$/, "UTC");
  }

  /** `21 Nov 2026, 19:50 UTC+5:45`: src/http/format.ts writes the same. */
  function timeText(date) {
    return unbroken(`${dateTime.format(date)} ${offsetText(date)}`);
  }

  /** Lines break after the comma only. */
  function unbroken(text) {
    return text.replace(/\s/g, "\u00a0").replace(",\u00a0", ", ");
  }

  window.viewerTimes = Object.freeze({ zone, zoneName, offsetText, timeText, turnTimes });
  if (chosen === undefined) turnAll();

  /** Turns the times of what the server rendered, before that is put into the page. */
  function turnTimes(root) {
    if (chosen === undefined) for (const time of root.querySelectorAll("time")) turnTime(time);
  }

  function turnAll() {
    const done = new WeakSet();
    const turnNew = (isWhole) => {
      for (const element of document.querySelectorAll("time, [data-zone-note]")) {
        if (done.has(element) || !(isWhole || isClosed(element))) continue;
        done.add(element);
        if (element.localName === "time") turnTime(element);
        else element.textContent = element.dataset.zoneNote.replace("{{zone}}", zoneName);
      }
    };
    const reading = new MutationObserver(() => turnNew(false));
    reading.observe(document, { childList: true, subtree: true });
    document.addEventListener("DOMContentLoaded", () => {
      reading.disconnect();
      turnNew(true);
    });
    // Filtered in place, a list has other rows, and their times are the server's again.
    document.addEventListener("list:shown", () => turnNew(true));
  }

  /** True once something comes after an element: its own text is complete, and the parser adds nothing to it. */
  function isClosed(element) {
    for (let node = element; node; node = node.parentNode) if (node.nextSibling) return true;
    return false;
  }

  /** Ages and whole days of UTC stay: they do not end in the name of the zone. */
  function turnTime(element) {
    const [date, text] = [new Date(element.dateTime), element.textContent.trim()];
    const isDate = element.hasAttribute("data-date");
    if (Number.isNaN(date.getTime()) || !(isDate || /\sUTC$/.test(text))) return;
    element.textContent = isDate ? unbroken(dateOnly.format(date)) : timeText(date);
    element.title = isDate ? timeText(date) : `${text} · ${zoneName}`;
  }
})();
