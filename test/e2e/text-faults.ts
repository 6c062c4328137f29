import type { Page } from "playwright-core";

/** Less than this is the rounding of a letter's edge. */
const LEAST = 1;

/**
 * Words that a line ends within, though short enough for any line: what lets a long word break must not break others.
 * A word is of letters and digits, so that what stands between them may end a line.
 */
export async function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (!parent || parent.closest("svg, script, style, noscript, option, pre")) continue;
      if (linesOf(text, 0, text.textContent?.length ?? 0) < 2 || isOnlyHeard(parent)) continue;
      for (const { 0: word, index } of (text.textContent ?? "").matchAll(/[\p{L}\p{N}]{2,16}/gu)) {
        if (linesOf(text, index, index + word.length) > 1)
          found.push(`"${word}" is broken in ${parent.outerHTML}`);
      }
    }
    return found.map((fault) => fault.slice(0, 160)).slice(0, 10);

    function isOnlyHeard(parent: Element): boolean {
      for (let box: Element | null = parent; box; box = box.parentElement) {
        if (getComputedStyle(box).clipPath !== "none") return true;
      }
      return false;
    }

    function linesOf(text: Node, start: number, end: number): number {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, end);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4))).size;
    }
  });
}

/**
 * Text that leaves its box, a button, a cell or a card, and lies over what is beside it, even if the page fits its
 * window. A scrolling box may hold wider text, such as a table; clipped or hidden text is not visible outside either.
 * Without `inCells`, it skips the cells of a table that may scroll.
 */
export async function textOutOfBoxes(page: Page, { inCells }: { inCells: boolean }): Promise<string[]> {
  const options = { least: LEAST, inCells };
  return page.evaluate(({ least, inCells }) => {
    const found: string[] = [];
    const boxes = new Map<
      Element,
      Record<"isHidden" | "isOpen" | "isBox" | "isPut", boolean> & { edges: DOMRect }
    >();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (
        !parent ||
        text.textContent?.trim() === "" ||
        parent.closest("svg, script, style, noscript, option")
      )
        continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const lines = [...range.getClientRects()].filter(({ width }) => width > least);
      const fault = lines.length > 0 && leaves(parent, lines);
      if (fault) found.push(`"${text.textContent?.trim().slice(0, 40)}" ${fault}`);
    }
    return found.slice(0, 10);

    function leaves(parent: Element, lines: DOMRect[]): string | undefined {
      const [left, right] = [
        Math.min(...lines.map((line) => line.left)),
        Math.max(...lines.map((line) => line.right)),
      ];
      let outside: string | undefined;
      for (let box: Element | null = parent; box && box !== document.body; box = box.parentElement) {
        const { isHidden, isOpen, isBox, isPut, edges } = read(box);
        if (isHidden) return undefined;
        // From here on only the box that cuts or scrolls is visible.
        if (!isOpen) return outside;
        if (!isBox) continue;
        if (!inCells && box.matches(".table-scroll td")) return undefined;
        const by = Math.max(right - edges.right, edges.left - left);
        if (by > least) outside ??= `leaves ${box.tagName}.${box.className} by ${by.toFixed(1)} pixels`;
        // Put there by hand, as on a map: it is no part of what is around it.
        if (isPut) return outside;
      }
      return outside;
    }

    /** Each box once: it has many texts, and its style takes longer than all else. */
    function read(box: Element) {
      let known = boxes.get(box);
      if (known === undefined) {
        const { clipPath, display, overflowX, position, visibility } = getComputedStyle(box);
        known = {
          isHidden: clipPath !== "none" || visibility === "hidden",
          isOpen: overflowX === "visible",
          isBox: display !== "inline" && display !== "contents" && box.tagName !== "TABLE",
          isPut: position === "absolute" || position === "fixed",
          edges: box.getBoundingClientRect(),
        };
        boxes.set(box, known);
      }
      return known;
    }
  }, options);
}
