/**
 * The form of a discount: where the operator has told no time zone, the browser's own is chosen, and the times of the
 * discount, which the server wrote in UTC, become those of its clocks, as all others of the page.
 */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const select = document.querySelector<HTMLSelectElement>("select[data-guess-zone]");
const options = [...(select?.options ?? [])];
const option = options.find(({ value }) => value === timeZone) ?? options.find(({ value }) => isOwn(value));
const times = ["starts", "ends"].filter((name) => select?.dataset[name]);
const turned = times.map(
  (name) =>
    [
      document.getElementById(name) as HTMLInputElement | null,
      localTime(new Date((select as HTMLElement).dataset[name] as string)),
    ] as const,
);

// An input has no room for a year of five digits: then it stays what it is, in the zone that it is in.
if (option && turned.every(([, text]) => text.length === 16)) {
  option.selected = true;
  for (const [input, text] of turned) if (input) input.value = text;
}

/** `2026-03-29T14:05`: what the browser's clock shows, as inputs want it. */
function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().replace(/:\d\d\.\d{3}Z$/, "");
}

/** The list has the names of today, of which browsers know some by older ones: Asia/Katmandu is Asia/Kathmandu. */
function isOwn(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === timeZone;
  } catch {
    return false;
  }
}
