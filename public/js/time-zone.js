/** Tells forms the browser's time zone: at the registration unasked, in the profile as a suggestion. */

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const input of document.querySelectorAll("[data-browser-zone]")) input.value = zone;
for (const place of document.querySelectorAll("[data-zone-suggestion]")) suggest(place);

function suggest(place) {
  const select = document.getElementById(place.dataset.zoneSuggestion);
  const options = [...select.options].filter(({ value }) => value !== "");
  const option =
    options.find(({ value }) => value === zone) ?? options.find(({ value }) => isSameZone(value));
  if (!option || option.selected) return;
  place.querySelector("[data-zone-name]").textContent = option.value;
  place.querySelector("button").addEventListener("click", () => {
    option.selected = true;
    select.focus();
    place.dataset.empty = "";
  });
  delete place.dataset.empty;
}

/** The list has the names of today, of which browsers know some by older ones: Europe/Kiev is Europe/Kyiv. */
function isSameZone(name) {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === zone;
  } catch {
    return false;
  }
}
