// Buttons that copy a text. Without scripts, readers select it themselves.
import { text } from "./texts.ts";

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy as string) as HTMLElement;
  const near = button.closest("details, section")?.querySelector<HTMLElement>("[data-copied]");
  const status = near ?? (document.querySelector("[data-copied]") as HTMLElement);
  button.addEventListener("click", async () => {
    status.textContent = (await copy(source)) ? text("script.copy.copied") : text("script.copy.refused");
  });
}

/** The clipboard works only over HTTPS and on localhost; elsewhere the text is selected and copied the old way. */
async function copy(source: HTMLElement): Promise<boolean> {
  (window.getSelection() as Selection).selectAllChildren(source);
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    clipboard?.writeText(source.textContent).then(
      () => true,
      () => false,
    ) ?? document.execCommand("copy")
  );
}
