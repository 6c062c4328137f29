/** The form of a discount: where the operator has told no time zone, the browser's own is chosen. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const options = [...(document.querySelector("select[data-guess-zone]")?.options ?? [])];
const option = options.find(({ value }) => value === timeZone) ?? options.find(({ value }) => isOwn(value));
if (option) option.selected = true;

/** The list has the names of today, of which browsers know some by older ones: Asia/Katmandu is Asia/Kathmandu. */
function isOwn(name) {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === timeZone;
  } catch {
    return false;
  }
}
