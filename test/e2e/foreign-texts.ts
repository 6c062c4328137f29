import type { Page } from "playwright-core";

/**
 * Texts in Latin letters on a page in another script: labels that nobody translated. Names, and what is marked as of
 * another language (`lang`), are none, nor are addresses, commands and figures with a unit.
 */
export async function foreignTexts(page: Page, allowed: RegExp): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const parent = text.parentElement;
      if (!parent || parent.closest("script, style, noscript, code, kbd, pre, samp, svg title")) continue;
      add(text.textContent, parent);
    }
    for (const element of document.body.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        add(element.getAttribute(name), element);
    }
    return [...found];

    function add(text: string | null, element: Element): void {
      const said = (text ?? "").replace(/\s+/g, " ").trim();
      const language = element.closest("[lang]")?.getAttribute("lang") ?? "";
      if (!/[A-Za-z]{2}/.test(said) || /\p{Script=Cyrillic}/u.test(said)) return;
      if (language !== document.documentElement.lang) return;
      found.add(said);
    }
  });
  return texts.filter((text) => !allowed.test(text));
}
