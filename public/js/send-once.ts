/**
 * Forms with `data-send-once` drop what is sent while the last sending is under way, such as by the second click of a
 * double click: its answer would take the place of the first one's, which alone shows what was made. The site itself
 * takes each such form once; this keeps its answer in sight.
 */

/** After so long the last sending was stopped, or went nowhere. */
const UNDER_WAY_MS = 10_000;

const sentAt = new WeakMap<Element, number>();

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (!form.matches("form[data-send-once]")) return;
  const isUnderWay = event.timeStamp - (sentAt.get(form) ?? Number.NEGATIVE_INFINITY) < UNDER_WAY_MS;
  if (isUnderWay) event.preventDefault();
  else sentAt.set(form, event.timeStamp);
});

// Back on this page, the last sending has come to its end.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form[data-send-once]")) sentAt.delete(form);
});
