// Shares a page's address by the device's share sheet if there is one, otherwise by the clipboard.

import { text } from "./texts.ts";
import { toast } from "./toast.ts";

for (const share of document.querySelectorAll<HTMLElement>("[data-share]")) {
  const { share: url = "", title } = share.dataset;
  const button = (way: string) => share.querySelector(`[data-share-by=${way}]`) as HTMLElement;
  button("device").addEventListener("click", () => shareByDevice({ url, title }));
  button("copy").addEventListener("click", () => copy(url));
}

/** Closing the sheet is not an error. */
async function shareByDevice(what: { url: string; title: string | undefined }) {
  try {
    await navigator.share(what);
  } catch (error) {
    if ((error as Error).name !== "AbortError") await copy(what.url);
  }
}

/** The clipboard works only over HTTPS and on localhost. */
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
