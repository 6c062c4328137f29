import type { Page } from "playwright-core";
import { textsOf, timesOutside } from "./shown-times.ts";

/** What is wrong with a page that runs no script, beside the same page with script. */
export async function faultsWithoutScript(plain: Page, scripted: Page): Promise<string[]> {
  const faults = timesOutside("UTC", await textsOf(plain));
  const [seen, wanted] = [await plain.evaluate(readHeadings), await scripted.evaluate(readHeadings)];
  if (seen.join() !== wanted.join()) faults.push(`headings ${seen} instead of ${wanted}`);
  faults.push(...(await plain.evaluate(findUseless)));
  return faults.map((fault) => `without script: ${fault}`);
}

/** Runs in the page: the headings that are seen, in their order. */
function readHeadings(): string[] {
  return [...document.querySelectorAll<HTMLElement>("main :is(h1, h2, h3)")]
    .filter((heading) => heading.checkVisibility())
    .map(({ innerText }) => innerText);
}

/** Runs in the page: what somebody sees and cannot use, unless a script helps. */
function findUseless(): string[] {
  const seen = <E extends Element>(selector: string) =>
    [...document.querySelectorAll<E & HTMLElement>(selector)].filter((element) => element.checkVisibility());
  const sends = (form: HTMLFormElement) =>
    [...form.elements].some(
      (control) => control.matches("button:not([type=button])") && control.checkVisibility(),
    );
  const isNowhere = ({ hash }: HTMLAnchorElement) => hash !== "" && !document.getElementById(hash.slice(1));
  const useless: Element[] = [
    ...seen("button[type=button], button:not([form]):not(form button)"),
    ...seen<HTMLFormElement>("form").filter((form) => !sends(form)),
    ...seen("input, select, textarea").filter((control) => !(control as HTMLInputElement).form),
    ...seen<HTMLAnchorElement>(`a[href^="#"]`).filter(isNowhere),
  ];
  return useless.map((element) => element.outerHTML.slice(0, 200));
}
