/** Gives forms the browser's time zone: registration sends it, the profile suggests it. */

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const input of document.querySelectorAll<HTMLInputElement>("[data-browser-zone]")) input.value = zone;
for (const place of document.querySelectorAll<HTMLElement>("[data-zone-suggestion]")) suggest(place);

function suggest(place: HTMLElement) {
  const select = document.getElementById(place.dataset.zoneSuggestion as string) as HTMLSelectElement;
  const options = [...select.options].filter(({ value }) => value !== "");
  const option =
    options.find(({ value }) => value === zone) ?? options.find(({ value }) => isSameZone(value));
  if (!option || option.selected) return;
  (place.querySelector("[data-zone-name]") as HTMLElement).textContent = option.value;
  (place.querySelector("button") as HTMLElement).addEventListener("click", () => {
    option.selected = true;
    select.focus();
    place.dataset.empty = "";
  });
  delete place.dataset.empty;
}

/** The list has current names; browsers may report older ones, such as Europe/Kiev. */
function isSameZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === zone;
  } catch {
    return false;
  }
}
