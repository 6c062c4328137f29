import type { Page, Request } from "playwright-core";

/** How often in a row nothing may be under way before nothing more is expected. */
const ENOUGH = 2;

/**
 * Loads a page as `goto` does, and resolves once nothing loads and its scripts are idle. That is sooner than
 * `networkidle`, which waits for half a second of silence.
 */
export async function gotoSettled(page: Page, address: string): ReturnType<Page["goto"]> {
  const underWay = new Set<Request>();
  const begin = (request: Request) => underWay.add(request);
  const end = (request: Request) => underWay.delete(request);
  page.on("request", begin).on("requestfinished", end).on("requestfailed", end);
  const answer = await page.goto(address);
  for (let quiet = 0; quiet < ENOUGH; ) {
    await untilIdle(page);
    quiet = underWay.size === 0 ? quiet + 1 : 0;
  }
  page.off("request", begin).off("requestfinished", end).off("requestfailed", end);
  return answer;
}

/** Until the page has its fonts, has drawn itself twice, and has nothing left to do. */
async function untilIdle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await new Promise((idle) => requestIdleCallback(idle, { timeout: 500 }));
  });
}
