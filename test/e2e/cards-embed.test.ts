import { afterAll, beforeAll, expect, it } from "vitest";
import { drain, type Listener, listen } from "../../src/web/server/listen.ts";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

let forum: Listener;

beforeAll(async () => {
  forum = await listen({ port: 0, host: "127.0.0.1" });
  forum.answerWith((_req, res) => {
    res.setHeader("Content-Type", "text/html; charset=utf-8");
    // As strict as a forum may be: neither styles nor anything else of its own.
    res.setHeader(
      "Content-Security-Policy",
      `default-src 'none'; script-src ${site.url}; connect-src ${site.url}; img-src ${site.url}`,
    );
    res.end(`<!doctype html><title>A forum</title><script src="${site.url}/embed/cards.js" defer></script>
      <p><a id="ours" href="${site.url}/en/vehicles/411">that car</a></p>
      <p><a id="russian" href="${site.url}/ru/vehicles/411">та машина</a></p>
      <p><a id="map" href="${site.url}/houses/map">a map</a></p>
      <p><a id="theirs" href="/vehicles/411">their own</a></p>
      <p><a id="evil" href="https://other.example/vehicles/411">another's</a></p>
      <svg width="50" height="20"><a href="#x"><text y="15">drawn</text></a></svg>`);
  });
});

afterAll(async () => {
  if (forum) await drain(forum.server);
});

async function openForum(options: Parameters<typeof site.visit>[0] = {}) {
  const visit = await site.visit(options);
  const cards: { url: string; cookie: string | undefined }[] = [];
  visit.page.on("request", async (request) => {
    if (!request.url().endsWith("/card")) return;
    cards.push({ url: request.url(), cookie: (await request.allHeaders()).cookie });
  });
  await visit.page.goto(`${forum.url}/topic`, { waitUntil: "networkidle" });
  return { ...visit, cards };
}

it("another site shows our cards beside its links to us, without cookies and whatever its policy", async () => {
  const { page, context, complaints, cards } = await openForum();
  await context.addCookies([{ name: "almanac", value: "secret", url: site.url }]);
  await page.locator("#ours").hover();
  const card = page.locator("almanac-card .hover-card");
  await card.waitFor();
  expect(await card.innerText()).toContain("Infernus");
  expect(await card.evaluate((element) => getComputedStyle(element).position)).toBe("fixed");
  expect(cards).toEqual([{ url: `${site.url}/en/vehicles/411/card`, cookie: undefined }]);
  await page.locator("#russian").hover();
  await expect.poll(() => card.innerText()).toContain("Транспорт");
  await page.keyboard.press("Escape");
  expect(await card.isVisible()).toBe(false);
  expect(complaints).toEqual([]);
  await context.close();
});

it("another site has cards for no other links, and nothing of ours on its page", async () => {
  const { page, context, complaints, cards } = await openForum();
  const before = await page.locator("body").evaluate((body) => body.getBoundingClientRect().height);
  for (const link of ["#map", "#theirs", "#evil", "svg text"]) {
    await page.locator(link).hover();
    await page.waitForTimeout(250);
  }
  expect(cards).toEqual([]);
  expect(await page.locator("body").evaluate((body) => body.getBoundingClientRect().height)).toBe(before);
  expect(await page.evaluate(() => Object.keys(window).filter((key) => /card|almanac/i.test(key)))).toEqual(
    [],
  );
  expect(complaints).toEqual([]);
  await context.close();
});

it("a picture in a card is loaded from us", async () => {
  const { page, context } = await openForum();
  await page.evaluate((href) => {
    const link = document.querySelector("#ours") as HTMLAnchorElement;
    link.href = href;
  }, `${site.url}/en/vehicles/415`);
  await page.locator("#ours").hover();
  const picture = page.locator("almanac-card img");
  await picture.waitFor();
  expect(await picture.getAttribute("src")).toContain(`${site.url}/pictures/`);
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  await context.close();
});
