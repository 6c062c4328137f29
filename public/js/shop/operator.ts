/**
 * The form of a discount: if the operator has not chosen a time zone, selects the browser's, and converts the
 * discount's times, which the server wrote in UTC.
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

// Inputs cannot hold a year of five digits: leaves times and zone as they are.
if (option && turned.every(([, text]) => text.length === 16)) {
  option.selected = true;
  for (const [input, text] of turned) if (input) input.value = text;
}

/** `2026-03-29T14:05`: local time in the format of inputs. */
function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().replace(/:\d\d\.\d{3}Z$/, "");
}

/** The list has current names; browsers may report older ones, such as Asia/Katmandu. */
function isOwn(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === timeZone;
  } catch {
    return false;
  }
}
