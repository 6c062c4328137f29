import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { addRecords, addServer } from "../helpers/servers.ts";
import { useThreeServers } from "../helpers/three-servers.ts";

const site = useBrowserSite();
const { at } = useThreeServers(site);

describe("a server's chart", () => {
  const options = { timezoneId: "UTC" };
  const clock = (place: number) => at(place).toISOString().slice(11, 16);

  /** Parts of scripts have no names: the library's is the one that has its classes in it. */
  const PART = /\/assets\/js\/part-/;
  const isLibrary = (script: string) => script.includes("u-over");

  async function blockLibrary(page: Page): Promise<void> {
    await page.route(PART, async (route) => {
      const response = await route.fetch();
      if (isLibrary(await response.text())) await route.abort();
      else await route.fulfill({ response });
    });
  }

  async function openChart(path: string, more = {}) {
    const visit = await site.visit({ ...options, ...more });
    await visit.page.goto(path);
    const plot = visit.page.getByRole("application");
    await plot.locator("canvas").waitFor();
    return { ...visit, plot, output: visit.page.locator(".chart-readout") };
  }

  it("shows values at the pointer, and announces exact ones by keyboard", async () => {
    const { page, plot, output, complaints } = await openChart("/servers/a");
    const hint = await output.textContent();
    await plot.locator(".u-over").hover();
    await expect.poll(() => output.textContent()).not.toBe(hint);
    expect(await output.getAttribute("aria-live")).toBe("off");
    await plot.focus();
    await page.keyboard.press("End");
    expect(await output.textContent()).toMatch(/: not measured$/);
    expect(await output.getAttribute("aria-live")).toBe("polite");
    await page.keyboard.press("Home");
    const grid = JSON.parse((await page.locator("[data-chart]").getAttribute("data-chart")) ?? "");
    const first = (at(0).getTime() / 1000 - grid.from) / 300;
    for (let left = first; left >= 12; left -= 12) await page.keyboard.press("PageDown");
    for (let left = first % 12; left > 0; left -= 1) await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`, ${clock(0)}–${clock(1)}: 10 online, 3 in the queue`);
    await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`, ${clock(1)}–${clock(2)}: 11 online, 3 in the queue`);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await output.textContent()).toContain(`${clock(-1)}–${clock(0)}: not measured`);
    for (let place = -1; place < 31; place += 1) await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`${clock(31)}–${clock(32)}: offline`);
    expect(complaints).toEqual([]);
  });

  it("explains how to read it by finger, on touch screens", async () => {
    const { output } = await openChart("/en/servers/a", { hasTouch: true, isMobile: true });
    await expect.poll(() => output.textContent()).toContain("Slide your finger across the chart");
  });

  it.each(["7d", "30d"])("of %s shows mean, lowest and highest", async (range) => {
    const { page, plot, output } = await openChart(`/servers/a?range=${range}`);
    await plot.focus();
    await page.keyboard.press("End");
    for (let back = 0; back < 16; back += 1) {
      if (/ online on average \(\d+ to \d+\)/.test((await output.textContent()) ?? "")) break;
      await page.keyboard.press("ArrowLeft");
    }
    expect(await output.textContent()).toMatch(/ online on average \(\d+ to \d+\)/);
  });

  it("bridges no gap: forty minutes without a measurement have neither line nor ground", async () => {
    const { db } = site.database;
    await addServer(db, { id: "gap", name: "Gap" });
    const measured = Array.from({ length: 40 }, (_, place) => place).filter(
      (place) => place < 16 || place >= 24,
    );
    await addRecords(
      db,
      "gap",
      measured.map((place) => ({ at: at(place), online: 20 })),
    );
    const { page, plot } = await openChart("/servers/gap", { colorScheme: "light" });
    await db("servers").where({ id: "gap" }).delete();
    const grid = JSON.parse((await page.locator("[data-chart]").getAttribute("data-chart")) ?? "");
    const shares = Array.from(
      { length: 40 },
      (_, place) => (at(0).getTime() / 1000 - grid.from) / 86_400 + (place + 0.5) / 288,
    );
    /** How many pixels of each bucket's column, axes aside, are greener than they are red: of the line and its ground. */
    const drawn = await plot.evaluate((host, places) => {
      const canvas = host.querySelector("canvas") as HTMLCanvasElement;
      const [whole, over] = [canvas, host.querySelector(".u-over") as Element].map((part) =>
        part.getBoundingClientRect(),
      );
      if (!whole || !over) return [];
      const context = canvas.getContext("2d") as CanvasRenderingContext2D;
      return places.map((share) => {
        const x = Math.round(((over.left - whole.left + share * over.width) / whole.width) * canvas.width);
        const [top, height] = [over.top - whole.top, over.height].map((length) =>
          Math.floor((length / whole.height) * canvas.height),
        ) as [number, number];
        const { data } = context.getImageData(x, top, 1, height);
        const pixels = Array.from({ length: height }, (_, y) => [data[4 * y] ?? 0, data[4 * y + 1] ?? 0]);
        return pixels.filter(([red = 0, green = 0]) => green - red > 15).length;
      });
    }, shares);
    expect(drawn.slice(16, 24)).toEqual(Array(8).fill(0));
    // A line may begin and end half a pixel away from where its first and last count are.
    for (const pixels of [...drawn.slice(1, 15), ...drawn.slice(25, 39)]) expect(pixels).toBeGreaterThan(0);
  });

  it("loads its library only once it comes into sight", async () => {
    const { page } = await site.visit({ viewport: { width: 390, height: 200 } });
    const asked: Promise<boolean>[] = [];
    page.on("response", (response) => {
      if (PART.test(response.url())) asked.push(response.text().then(isLibrary));
    });
    const library = async () => (await Promise.all(asked)).filter(Boolean).length;
    await page.goto("/servers/a", { waitUntil: "networkidle" });
    expect(await library()).toBe(0);
    await page.locator(".chart-box").scrollIntoViewIfNeeded();
    await page.locator(".chart-plot canvas").waitFor();
    expect(await library()).toBe(1);
  });

  it.each([1280, 390])(
    "takes the place of the server's SVG, which paper has, and moves nothing at %d",
    async (width) => {
      const viewport = { width, height: 844 };
      const { page, plot } = await openChart("/servers/a", { colorScheme: "light", viewport });
      const drawing = page.locator("svg.chart");
      const place = () =>
        page.locator(".chart-legend").evaluate((legend) => legend.getBoundingClientRect().top);
      const live = await place();
      expect(await drawing.isVisible()).toBe(false);
      const picture = () =>
        plot.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
      const light = await picture();
      await page.emulateMedia({ colorScheme: "dark" });
      await expect.poll(picture).not.toBe(light);
      await page.emulateMedia({ media: "print" });
      expect(await drawing.isVisible()).toBe(true);
      expect(await page.getByRole("application").isVisible()).toBe(false);
      await page.emulateMedia({ media: "screen" });
      await page.setViewportSize({ width: 600, height: 844 });
      await expect
        .poll(() => plot.locator("canvas").evaluate((canvas) => canvas.clientWidth))
        .toBeLessThan(601);
      await page.setViewportSize(viewport);
      await blockLibrary(page);
      await page.reload({ waitUntil: "networkidle" });
      expect(await drawing.isVisible()).toBe(true);
      expect(await page.locator(".chart-readout").textContent()).toBe("");
      expect(await place()).toBe(live);
    },
  );
});

describe("times", () => {
  const timezoneId = "Asia/Kolkata";

  it("name UTC once", async () => {
    const { page } = await site.visit({ timezoneId: "UTC" });
    await page.goto("/en/servers/a", { waitUntil: "networkidle" });
    expect(await page.locator("[data-week-zone]").textContent()).toBe("in your time zone, UTC");
  });

  it("are the viewer's, with the zone named, hours of the week included", async () => {
    const { page, complaints } = await site.visit({ timezoneId });
    await page.goto("/servers/a", { waitUntil: "networkidle" });
    const text = (await page.locator("main").textContent()) ?? "";
    expect(await page.locator(".outages").innerText()).not.toMatch(/UTC(?!\+5:30)/);
    expect(await page.locator(".facts").first().innerText()).not.toMatch(/UTC(?!\+5:30)/);
    expect(text).toContain("Chart times are in Asia/Kolkata.");
    expect(await page.locator(".heat-map thead th").nth(1).textContent()).toBe("00:30");
    const week = await page.locator("#week-what").textContent();
    expect(week).toContain("in your time zone, Asia/Kolkata (UTC+5:30)");
    const outage = await page.locator(".outages tbody tr").first().innerText();
    expect(outage).toContain(formatFor("en", timezoneId).time(at(31)));
    expect(complaints).toEqual([]);
  });

  it("are UTC, and the page says so, if script is blocked", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false, timezoneId });
    await page.goto("/servers/a");
    expect(await page.locator("main").textContent()).toContain("Chart times are in UTC.");
    expect(await page.locator("svg.chart").isVisible()).toBe(true);
    expect(await page.locator(".heat-map thead th").nth(1).textContent()).toBe("00");
    await page.getByText("Show as a table").click();
    expect(await page.locator(".figures").textContent()).toContain("UTC");
  });
});
