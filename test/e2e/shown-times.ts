import type { Page } from "playwright-core";

/** Where a page means UTC itself, the same for every viewer: an API, e-mails, the choice of a zone. */
const ABOUT_UTC = "option, #key-expires-on-hint, #from-hint, .docs, .about-utc";

/**
 * Every visible or audible text of a page, with the hints and names in attributes; or of markup, as in a browser
 * without script.
 */
export function textsOf(page: Page, markup?: string): Promise<string[]> {
  const options = { aboutUtc: ABOUT_UTC, markup };
  return page.evaluate(({ aboutUtc, markup }) => {
    const silent = `script, style, template, noscript, ${aboutUtc}`;
    const { body } = markup === undefined ? document : new DOMParser().parseFromString(markup, "text/html");
    const texts: string[] = [];
    for (const element of body.querySelectorAll("*")) {
      if (element.closest(silent)) continue;
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE) texts.push(node.nodeValue ?? "");
      for (const name of ["title", "aria-label", "alt", "placeholder"])
        texts.push(element.getAttribute(name) ?? "");
    }
    return texts.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => text !== "");
  }, options);
}

/** The texts that name a time zone other than this one. */
export function timesOutside(zone: string, texts: readonly string[]): string[] {
  const named = (text: string) => text.match(/\bUTC([+-]\d+(:\d\d)?)?/g) ?? [];
  return texts.filter((text) => named(text).some((other) => other !== zone));
}
