// Hands a page's address on: by the device's own sheet where it has one, else by the clipboard.

import { text } from "./texts.ts";
import { toast } from "./toast.js";

for (const share of document.querySelectorAll("[data-share]")) {
  const { share: url, title } = share.dataset;
  const button = (way) => share.querySelector(`[data-share-by=${way}]`);
  button("device").addEventListener("click", () => shareByDevice({ url, title }));
  button("copy").addEventListener("click", () => copy(url));
}

/** Who closes the sheet again wanted neither that nor a message about it. */
async function shareByDevice(what) {
  await navigator.share(what).catch((error) => error.name !== "AbortError" && copy(what.url));
}

/** Browsers give pages the clipboard only over HTTPS and on this machine. */
async function copy(url) {
  const copying = navigator.clipboard?.writeText(url) ?? Promise.reject(new Error("no clipboard"));
  toast(
    await copying.then(
      () => text("script.share.copied"),
      () => text("script.share.failed"),
    ),
  );
}
