// Hands a page's address on: by the device's own sheet where it has one, else by the clipboard.

import { text } from "./texts.ts";
import { toast } from "./toast.ts";

for (const share of document.querySelectorAll<HTMLElement>("[data-share]")) {
  const { share: url = "", title } = share.dataset;
  const button = (way: string) => share.querySelector(`[data-share-by=${way}]`) as HTMLElement;
  button("device").addEventListener("click", () => shareByDevice({ url, title }));
  button("copy").addEventListener("click", () => copy(url));
}

/** Who closes the sheet again wanted neither that nor a message about it. */
async function shareByDevice(what: { url: string; title: string | undefined }) {
  try {
    await navigator.share(what);
  } catch (error) {
    if ((error as Error).name !== "AbortError") await copy(what.url);
  }
}

/** Browsers give pages the clipboard only over HTTPS and on this machine. */
async function copy(url: string) {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const copying = clipboard?.writeText(url) ?? Promise.reject();
  toast(
    await copying.then(
      () => text("script.share.copied"),
      () => text("script.share.failed"),
    ),
  );
}
