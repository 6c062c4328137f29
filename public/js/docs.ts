import { text } from "./texts.ts";

/** The API's documentation: finds operations by what is typed, and tries a call with the reader's own key. */

/** An answer of megabytes would freeze the page. */
const SHOWN_AT_MOST = 20_000;

const filter = document.querySelector<HTMLElement>("[data-docs-filter]");

filter?.addEventListener("input", () => showMatching(filter));
for (const part of document.querySelectorAll<HTMLElement>("[data-try]")) {
  part.querySelector("button")?.addEventListener("click", () => void tryCall(part));
}

/** Shows the operations whose section has all typed words. */
function showMatching(field: HTMLElement): void {
  const words = (field.querySelector("input")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const section of document.querySelectorAll<HTMLElement>("[data-operation]")) {
    const content = section.textContent?.toLowerCase() ?? "";
    section.hidden = !words.every((word) => content.includes(word));
    found += Number(!section.hidden);
    const listed = document.querySelector<HTMLElement>(
      `[data-listed="${section.getAttribute("aria-labelledby")}"]`,
    );
    if (listed) listed.hidden = section.hidden;
  }
  const status = field.querySelector<HTMLElement>("[role=status]");
  if (status) status.textContent = found === 0 ? (status.dataset.none ?? "") : "";
}

/** Calls the example with the key in a header, never in the address, and shows what comes back. */
async function tryCall(part: HTMLElement): Promise<void> {
  const status = part.querySelector("[role=status]") as HTMLElement;
  const answer = part.querySelector("pre") as HTMLElement;
  const field = document.querySelector<HTMLInputElement>("#docs-key");
  const key = field?.value.trim() ?? "";
  if (key === "" && part.dataset.needsKey !== undefined) {
    status.textContent = text("script.docs.key_needed");
    field?.focus();
    return;
  }
  status.textContent = text("script.docs.sending");
  const began = performance.now();
  try {
    const headers: Record<string, string> = key === "" ? {} : { "X-API-Key": key };
    // Without cookies: what is seen here is what a program gets.
    const response = await fetch(part.dataset.try ?? "", { headers, credentials: "omit", cache: "no-store" });
    const body = await response.text();
    const ms = String(Math.round(performance.now() - began));
    status.textContent = text("script.docs.took", { status: String(response.status), ms });
    (answer.firstElementChild as HTMLElement).textContent = indented(body).slice(0, SHOWN_AT_MOST);
    answer.hidden = false;
  } catch {
    status.textContent = text("script.docs.failed");
  }
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
