import { readFileSync } from "node:fs";
import path from "node:path";
import type { Express } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/settings/config.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { createOffline } from "../../src/web/look/routes.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";

const site = useTestApp();

/** The size of a PNG that the site serves, by its first bytes. */
async function sizeOf(src: string): Promise<string> {
  const { body: png } = await request(site.app).get(src).responseType("blob").expect(200);
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

describe("GET /manifest.webmanifest", () => {
  it("describes an app that can be installed, in the language of its path", async () => {
    const { body, headers } = await manifest("/ru/manifest.webmanifest");
    expect(headers["content-type"]).toMatch(/^application\/manifest\+json/);
    expect(body).toMatchObject({
      id: "/",
      name: "Almanac",
      short_name: "Almanac",
      lang: "ru",
      start_url: "/ru",
      scope: "/",
      display: "standalone",
      theme_color: "#12302f",
    });
    expect(body.background_color).toMatch(/^#[0-9a-f]{6}$/);
    expect(body.shortcuts).toEqual([
      { name: "Поиск", url: "/ru/search" },
      { name: "Серверы", url: "/ru/servers" },
    ]);
    await request(site.app).get("/ru/search").expect(200);
  });

  it("leaves the language open where the path does, as the page that links it", async () => {
    const { body, headers } = await manifest("/manifest.webmanifest", "ru, en;q=0.5");
    expect(body).toMatchObject({ lang: "ru", start_url: "/", id: "/" });
    expect(headers.vary).toContain("Accept-Language");
    expect((await manifest("/en/manifest.webmanifest", "ru")).body.lang).toBe("en");
    const { text } = await request(site.app).get("/ru/docs/errors");
    expect(text).toContain('<link rel="manifest" href="/ru/manifest.webmanifest">');
  });

  it("names icons that are there, of the sizes that it says, one of them to be cut by a mask", async () => {
    const { body } = await manifest("/manifest.webmanifest");
    const icons: { src: string; sizes: string; type: string; purpose?: string }[] = body.icons;
    expect(icons.map(({ sizes, purpose = "any" }) => `${sizes} ${purpose}`)).toEqual([
      "192x192 any",
      "512x512 any",
      "512x512 maskable",
    ]);
    for (const { src, sizes, type } of icons) {
      const { headers } = await request(site.app).get(src).expect(200);
      expect(headers["content-type"]).toBe(type);
      expect(headers["cache-control"]).toContain("immutable");
      expect(await sizeOf(src)).toBe(sizes);
    }
  });

  it("has an icon for iPhones in the pages' head", async () => {
    const { text } = await request(site.app).get("/en/docs/errors");
    const [, href = ""] = /<link rel="apple-touch-icon" href="([^"]+)">/.exec(text) ?? [];
    expect(await sizeOf(href)).toBe("180x180");
  });
});

describe("an operator's logo as the icon", () => {
  const own = path.join(import.meta.dirname, "../../public/img");
  const svg = { file: path.join(own, "logo.svg"), type: "image/svg+xml", size: undefined } as const;
  const png = { file: path.join(own, "icons/icon-512.png"), type: "image/png" } as const;
  it("is one of any size as SVG, of its own as PNG, and none where it is small or not square", async () => {
    const icons = async (logo: Config["look"]["logo"]) => {
      const app = await site.another({ look: { ...TEST_CONFIG.look, logo } });
      const { body } = await request(app).get("/manifest.webmanifest").responseType("blob");
      return JSON.parse(body.toString()).icons;
    };
    const sized = (width: number, height: number) => icons({ ...png, size: { width, height } });
    const src = expect.stringMatching(/^\/assets\/look\/logo-/);
    expect(await icons(svg)).toEqual([{ src, type: "image/svg+xml", sizes: "any" }]);
    expect(await sized(512, 512)).toEqual([{ src, type: "image/png", sizes: "512x512" }]);
    expect(await sized(100, 100)).toHaveLength(3);
    expect(await sized(900, 200)).toHaveLength(3);
  });
});

describe("the page for who is not online", () => {
  it("is the same for every account, so that one cache serves all", async () => {
    const { id, agent } = await site.logIn();
    await site.db("users").where({ id }).update({ language: "ru" });
    for (const path of ["/offline", "/manifest.webmanifest"]) {
      const { headers } = await agent.get(path).set("Accept-Language", "en").expect(200);
      expect(headers.vary, path).not.toContain("Cookie");
      expect(headers["cache-control"], path).toBe("public, no-cache");
    }
    const { text } = await agent.get("/offline").set("Accept-Language", "en");
    expect(text).toContain('<html lang="en" dir="ltr">');
  });

  it("stands by itself, in the language of its path", async () => {
    const { text, headers } = await request(site.app).get("/ru/offline").expect(200);
    expect(text).toContain('<html lang="ru" dir="ltr">');
    expect(text).toContain("Нет соединения");
    expect(headers["x-robots-tag"]).toBe("noindex");
    expect(headers["set-cookie"]).toBeUndefined();
    expect((await request(site.app).get("/en/offline")).text).toContain("You’re offline");
  });

  it("loads nothing but what the service worker keeps, the sheet's fonts included", async () => {
    const { files, pages } = await keptByWorker();
    expect(pages).toEqual({ en: "/en/offline", ru: "/ru/offline" });
    const { text } = await request(site.app).get("/ru/offline");
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((url) => !files.includes(url ?? ""))).toEqual([]);
    const fonts = files.filter((file) => file.endsWith(".woff2"));
    expect(fonts.length).toBeGreaterThan(1);
    expect(text.match(/rel="preload" href="[^"]+\.woff2" as="font"/g)).toHaveLength(2);
    for (const file of files) {
      const { headers } = await request(site.app).get(file).expect(200);
      expect(headers["cache-control"], file).toContain("immutable");
    }
  });
});

describe("GET /service-worker.js", () => {
  it("is a script for the whole site, revalidated each time, without a session", async () => {
    const { text, headers } = await request(site.app).get("/service-worker.js").expect(200);
    expect(headers["content-type"]).toMatch(/^text\/javascript/);
    expect(headers["cache-control"]).toBe("no-cache");
    expect(headers["set-cookie"]).toBeUndefined();
    expect(text).toContain(
      readFileSync(path.join(import.meta.dirname, "../../public/service-worker.js"), "utf8"),
    );
    await request(site.app).get("/service-worker.js").set("If-None-Match", String(headers.etag)).expect(304);
  });

  it("is another version with another look, that keeps its parts apart", async () => {
    const [here, there] = [
      await keptByWorker(),
      await keptByWorker(await site.another({ siteName: "Atlas" })),
    ];
    expect(here.cache).toMatch(/^offline-[0-9a-f]{10}$/);
    expect(here.cache).toBe((await keptByWorker()).cache);
    expect(there.cache).not.toBe(here.cache);
  });
});

async function manifest(path: string, language = "en") {
  const asked = request(site.app).get(path).set("Accept-Language", language);
  const { body, headers } = await asked.responseType("blob").expect(200);
  return { body: JSON.parse(body.toString()), headers };
}

async function keptByWorker(app = site.app) {
  const { text } = await request(app).get("/service-worker.js").expect(200);
  const [, kept = ""] = /^self\.kept = (.*);\n/.exec(text) ?? [];
  const read: { cache: string; pages: Record<string, string>; files: string[] } = JSON.parse(kept);
  return read;
}

describe("the off-line page", () => {
  it("is built again after a failure, and then cached", async () => {
    const results: (Error | string)[] = [new Error("no such file"), "<p>", "made twice"];
    const render = (_view: string, _data: object, done: (error: Error | null, html?: string) => void) => {
      const result = results.shift();
      if (typeof result === "string") done(null, result);
      else done(result ?? new Error("asked too often"));
    };
    const assets = await buildAssets();
    const context = { assets, config: { siteName: "Almanac" }, look: { logo: null, accentStyle: null } };
    const offline = createOffline(
      { render } as unknown as Express,
      context as unknown as Parameters<typeof createOffline>[1],
    );
    await expect(offline.page("en")).rejects.toThrow("no such file");
    expect(await offline.page("en")).toBe("<p>");
    expect(await offline.page("en")).toBe("<p>");
  });
});
