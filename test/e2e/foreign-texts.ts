import type { Page } from "playwright-core";
import type { PageType } from "../helpers/page-types.ts";

/**
 * Names, which nobody translates: of the site, of programs, of shops and models, of currencies beside an amount, of
 * the servers on the home page. Also the rest of a name beside the marked letters.
 */
const NAMES =
  /^((Los )?Santos (One|Two)|Los|SA-MP|San Andreas Brasil|Las Venturas Nights|Grove Role Play|Ciudad Libre|Wybrzeże|tomic|Almanac|API|ID|JavaScript|Lua|Pawn|Python|scripts\.example\.com|[\d\s,]+ EUR|[A-Z]{2,3}(-\d+)?)$/;

/** References name what stands in code; servers and nicknames are names themselves. */
const MADE_OF_NAMES = /^(docs|server|nicknames)/;

/**
 * Texts in Latin letters on a page in another script: labels that nobody translated. Names, and what is marked as of
 * another language (`lang`), are none, nor are addresses, commands and figures with a unit. Only pages of visitors
 * are known to have no other names.
 */
export async function foreignTexts(page: Page, { name, reader }: PageType): Promise<string[]> {
  if (reader !== "visitor" || MADE_OF_NAMES.test(name)) return [];
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
  return texts.filter((text) => !NAMES.test(text));
}
