// The buttons that copy a text. Without this script it is copied by selecting it.

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const status = document.querySelector("[data-copied]");
  // Browsers give pages the clipboard only over HTTPS and on this machine.
  button.hidden = status.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    status.textContent = await navigator.clipboard.writeText(source.textContent).then(
      () => "Copied.",
      () => "The browser did not allow it: select the text and copy it by hand.",
    );
  });
}
