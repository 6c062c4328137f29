import { hasWords } from "../../../src/search/letters.ts";
import { text } from "../web/texts.ts";

/** The API's documentation: finds operations by what is typed, and tries a call with the reader's own key. */

/** An answer of megabytes would freeze the page. */
const SHOWN_AT_MOST = 20_000;

const filter = document.querySelector<HTMLElement>("[data-docs-filter]");

filter?.addEventListener("input", () => showMatching(filter));
for (const form of document.querySelectorAll<HTMLFormElement>("[data-try]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void tryCall(form);
  });
}

/** Shows the operations whose description has all typed words; examples would match almost anything. */
function showMatching(field: HTMLElement): void {
  const words = field.querySelector("input")?.value ?? "";
  let found = 0;
  for (const section of document.querySelectorAll<HTMLElement>("[data-operation]")) {
    const content = [...section.querySelectorAll("summary:has(h2), .endpoint-content > p, th, td")]
      .map(({ textContent }) => textContent)
      .join(" ");
    section.hidden = !hasWords(content, words);
    found += Number(!section.hidden);
    const listed = document.querySelector<HTMLElement>(`[data-listed="${section.dataset.operation}"]`);
    if (listed) listed.hidden = section.hidden;
  }
  const status = field.querySelector<HTMLElement>("[role=status]");
  if (status) status.textContent = found === 0 ? (status.dataset.none ?? "") : "";
}

/** Makes a call with the key in a header, never in the address, and shows what comes back. */
async function tryCall(form: HTMLFormElement): Promise<void> {
  const status = form.querySelector("[role=status]") as HTMLElement;
  const answer = form.querySelector("pre") as HTMLElement;
  const body = form.querySelector("textarea");
  const field = document.querySelector<HTMLInputElement>("#docs-key");
  const key = field?.value.trim() ?? "";
  if (key === "" && form.dataset.needsKey !== undefined) {
    status.textContent = text("script.docs.key_needed");
    field?.focus();
    return;
  }
  const url = addressOf(form);
  if (!url) {
    status.textContent = text("script.docs.other_site");
    return;
  }
  status.textContent = text("script.docs.sending");
  const began = performance.now();
  try {
    const headers: Record<string, string> = {
      ...(key !== "" && { "X-API-Key": key }),
      ...(body && { "Content-Type": body.dataset.type }),
    };
    const method = form.dataset.try ?? "GET";
    const sent = body ? { method, headers, body: body.value } : { method, headers };
    // Without cookies: what is seen here is what a program gets.
    const response = await fetch(url, { ...sent, credentials: "omit", cache: "no-store" });
    const received = await response.text();
    const ms = String(Math.round(performance.now() - began));
    status.textContent = text("script.docs.took", { status: String(response.status), ms });
    (answer.firstElementChild as HTMLElement).textContent = indented(received).slice(0, SHOWN_AT_MOST);
    answer.hidden = received === "";
  } catch {
    status.textContent = text("script.docs.failed");
  }
}

/** Undefined for one of another site, which must not get the key. */
function addressOf(form: HTMLFormElement): URL | undefined {
  const typed = new FormData(form).get("address");
  try {
    const url = new URL(String(typed).trim(), location.origin);
    return url.origin === location.origin ? url : undefined;
  } catch {
    return undefined;
  }
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
