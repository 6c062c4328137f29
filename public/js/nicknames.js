/** Buttons that copy one nickname or all of them. Without this script, names are selected and copied by hand. */

const results = document.querySelector("[data-nicknames]");
const names = [...(results?.querySelectorAll("code") ?? [])];

// Browsers give the clipboard only to pages on https and on this machine.
if (navigator.clipboard && names.length > 0) addButtons();

function addButtons() {
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.className = "muted";
  for (const name of names) {
    name.after(copyButton("Copy", `Copy ${name.textContent}`, () => copy([name], status)));
  }
  const all = copyButton("Copy all", "Copy all nicknames", () => copy(names, status));
  const actions = document.createElement("div");
  actions.className = "actions";
  actions.append(status, all);
  results.querySelector(".page-head").append(actions);
}

function copyButton(text, label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button is-small is-quiet";
  button.textContent = text;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", act);
  return button;
}

async function copy(chosen, status) {
  const text = chosen.map((name) => name.textContent).join("\n");
  try {
    await navigator.clipboard.writeText(text);
    // Short enough to stand beside the heading on a phone: a longer line would move the list.
    status.textContent = chosen.length === 1 ? "Copied" : `${chosen.length} copied`;
  } catch {
    status.textContent = "The browser did not allow copying; select the names instead.";
  }
}
