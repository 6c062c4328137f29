/**
 * Forms with `data-send-once` ignore a second submission while the first is pending, such as a double click. Its
 * answer would replace the first one, which alone shows the result. The server accepts each such form only once
 * anyway.
 */

/** After this time a submission counts as failed. */
const UNDER_WAY_MS = 10_000;

const sentAt = new WeakMap<Element, number>();

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (!form.matches("form[data-send-once]")) return;
  const isUnderWay = event.timeStamp - (sentAt.get(form) ?? Number.NEGATIVE_INFINITY) < UNDER_WAY_MS;
  if (isUnderWay) event.preventDefault();
  else sentAt.set(form, event.timeStamp);
});

// Back on this page, no submission is pending.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form[data-send-once]")) sentAt.delete(form);
});
