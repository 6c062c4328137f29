// Toggles favorites in place. Without this script the same forms work by a page load.

const announcer = document.createElement("p");
announcer.className = "visually-hidden";
announcer.setAttribute("role", "status");
document.body.append(announcer);

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.favorite");
  if (!form) return;
  event.preventDefault();
  toggle(form, form.querySelector("button"));
});

async function toggle(form, button) {
  // A press while the last one is under way is dropped. `disabled` would do the same but take the focus away.
  if (button.getAttribute("aria-busy") === "true") return;
  const before = button.getAttribute("aria-pressed") === "true";
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-pressed", String(!before));
  const favorite = await send(form).catch(() => undefined);
  button.removeAttribute("aria-busy");
  button.setAttribute("aria-pressed", String(favorite ?? before));
  tell(form, favorite);
}

/** Resolves to what the server says it is now; undefined when it could not be changed. */
async function send(form) {
  const response = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (response.status === 401) {
    const here = window.location.pathname + window.location.search;
    window.location.assign(`/login?next=${encodeURIComponent(here)}`);
  }
  if (!response.ok) return undefined;
  const { favorite } = await response.json();
  return favorite;
}

/** Says what became of it to screen readers; a failure is also seen, beside the button. */
function tell(form, favorite) {
  const { label } = form.dataset;
  if (form.nextElementSibling?.matches(".favorite-failure")) form.nextElementSibling.remove();
  if (favorite === undefined) {
    announcer.textContent = `${label} could not be changed. Please try again.`;
    const note = document.createElement("p");
    note.className = "field-error favorite-failure";
    note.textContent = "That did not work. Please try again.";
    form.after(note);
  } else {
    announcer.textContent = `${label} is ${favorite ? "a favorite now" : "no favorite any more"}.`;
  }
}
