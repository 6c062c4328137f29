/**
 * Runs before the page is shown, so that nothing flickers. Applies the theme chosen on this device, and marks the
 * page for scripts (`.script-only` in base.css) and sharing (share.ejs). Also handles the switch of themes
 * (`data-themes`, radio buttons "system", "light" and "dark"), and shows names in other languages (`data-second`) to
 * those who know them.
 */
const root = document.documentElement;
root.dataset.script = "";
if ((navigator as Partial<Navigator>).share) root.dataset.canShare = "";
show(stored());
showSecondNames();

document.addEventListener("change", (event) => {
  const target = event.target as HTMLInputElement;
  if (!target.closest("[data-themes]")) return;
  store(target.value);
  show(target.value);
});
document.addEventListener("DOMContentLoaded", () => show(stored()));
// The search leads here; the address stays as it was.
addEventListener("hashchange", chooseByAddress);
chooseByAddress();
// Another tab of this site switched.
addEventListener("storage", ({ key }) => {
  if (key === "theme" || key === null) show(stored());
});

/** Takes the choice of an address such as `#theme-dark`. */
function chooseByAddress() {
  const [, theme] = /^#theme-(system|light|dark)$/.exec(location.hash) ?? [];
  if (!theme) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  store(theme);
  show(theme);
}

function show(theme: string) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const radio of document.querySelectorAll<HTMLInputElement>("[data-themes] input"))
    radio.checked = radio.value === theme;
}

/** In the browser, as every reader gets the same page. */
function showSecondNames() {
  const languages = navigator.languages.flatMap((tag) => /^[a-z]{2,3}(?=-|$)/i.exec(tag) ?? []);
  if (!("adoptedStyleSheets" in document) || languages.length === 0) return;
  const sheet = new CSSStyleSheet();
  const others = languages.map((language) => `:not(:lang(${language}))`).join("");
  sheet.insertRule(`:root [data-second]${others} { display: none }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  root.dataset.languages = "";
}

function stored() {
  try {
    const theme = localStorage.getItem("theme");
    return theme === "light" || theme === "dark" ? theme : "system";
  } catch {
    // Storage is blocked: uses the system's theme; a choice lasts as long as the page.
    return "system";
  }
}

function store(theme: string) {
  try {
    if (theme === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // See above.
  }
}
