import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { keep } from "../../src/records/pictures/collect.ts";
import { DatabaseStore } from "../../src/records/pictures/store.ts";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** A list of fifty with thumbnails must come over a slow line in a moment: 150 KB are four seconds of 3G. */
const AT_MOST = 150_000;
const LISTED = 50;

/** An icon as games draw them: a shaded thing of many edges with a light on it, on a ground of two colours. */
function iconOf(place: number): string {
  const hue = (place * 47) % 360;
  const corners = 5 + (place % 9);
  const points = Array.from({ length: 2 * corners }, (_, at) => {
    const [angle, reach] = [(Math.PI * at) / corners + place, at % 2 === 0 ? 108 : 50 + (place % 40)];
    return `${(128 + reach * Math.cos(angle)).toFixed(1)},${(128 + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><defs>` +
    `<radialGradient id="ground"><stop stop-color="hsl(${hue},45%,45%)"/><stop offset="1" stop-color="hsl(${hue},60%,12%)"/></radialGradient>` +
    `<linearGradient id="thing" x2="1" y2="1"><stop stop-color="hsl(${hue + 160},30%,85%)"/><stop offset="1" stop-color="hsl(${hue + 190},50%,35%)"/></linearGradient>` +
    `</defs><rect width="256" height="256" fill="url(#ground)"/>` +
    `<polygon points="${points.join(" ")}" fill="url(#thing)" stroke="hsl(${hue},70%,8%)" stroke-width="6"/>` +
    `<circle cx="${90 + (place % 60)}" cy="92" r="22" fill="#fff" fill-opacity=".55"/></svg>`
  );
}

/** What a page takes of the line by the kind of file, as Chromium counts it: bodies as they were packed, and heads. */
async function weigh(page: Page, address: string): Promise<Map<string, { files: number; bytes: number }>> {
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const types = new Map<string, string>();
  const weights = new Map<string, { files: number; bytes: number }>();
  network.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? "unknown";
    const { files, bytes } = weights.get(type) ?? { files: 0, bytes: 0 };
    weights.set(type, { files: files + 1, bytes: bytes + encodedDataLength });
  });
  await page.goto(address, { waitUntil: "networkidle" });
  // Thumbnails below the window are loaded once they come near it.
  const thumbnails = page.locator(".entry-table img.thumb");
  for (const thumbnail of await thumbnails.all()) await thumbnail.scrollIntoViewIfNeeded();
  await expect
    .poll(() => thumbnails.evaluateAll((all) => all.every((one) => (one as HTMLImageElement).complete)))
    .toBe(true);
  await page.waitForLoadState("networkidle");
  return weights;
}

describe("a list of fifty with thumbnails", () => {
  beforeAll(async () => {
    const { db } = site.database;
    const store = new DatabaseStore(db);
    const ids: string[] = await db("items")
      .orderByRaw("name collate name_order, id")
      .limit(LISTED)
      .pluck("id");
    expect(ids).toHaveLength(LISTED);
    for (const [place, id] of ids.entries()) {
      const bytes = await sharp(Buffer.from(iconOf(place)))
        .png()
        .toBuffer();
      const picture = await keep(bytes, `${place}.png`, store);
      await db("items").where({ id }).update({ picture, image: null });
    }
  }, 60_000);

  it("is under 150 KB over the wire in the language with the longest texts", async () => {
    const { page } = await site.visit({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    const weights = await weigh(page, "/ru/items");
    expect(weights.get("Image")?.files).toBeGreaterThanOrEqual(LISTED);
    expect(weights.get("Document")?.files).toBe(1);
    const counted = ["Document", "Stylesheet", "Script", "Image"].map(
      (type) => weights.get(type)?.bytes ?? 0,
    );
    const table = [...weights].map(([type, { files, bytes }]) => `${type}: ${bytes} in ${files}`);
    const sum = counted.reduce((total, bytes) => total + bytes, 0);
    expect(sum, table.join(", ")).toBeLessThan(AT_MOST);
    // So that a figure of nothing fails: fifty pictures alone take more.
    expect(sum).toBeGreaterThan(20_000);
  });
});
