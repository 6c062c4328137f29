// Shows a password while it is typed. Before the form is sent, the field becomes a password field again, because
// browsers store the text of other fields.

for (const box of document.querySelectorAll<HTMLInputElement>("input[data-shows]")) {
  const field = document.getElementById(box.dataset.shows as string) as HTMLInputElement;
  const show = () => {
    field.type = box.checked ? "text" : "password";
  };
  box.addEventListener("change", show);
  // Some browsers tick it again on a reload.
  show();
  (field.form as HTMLFormElement).addEventListener("submit", () => {
    box.checked = false;
    show();
  });
}
