import fs, { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import request from "supertest";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Assets, buildAssets } from "../../src/web/assets/build.ts";
import { serveAssets } from "../../src/web/look/routes.ts";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { useTestApp } from "../helpers/app.ts";
import { attributes } from "../helpers/html.ts";

const BUILD = "../../src/web/assets/build.ts";

const site = useTestApp();
const assets = await buildAssets();

describe("an asset", () => {
  it("is named by what is in it, and may be kept for ever", async () => {
    const address = assets.url("css/web/site.css");
    expect(address).toMatch(/^\/assets\/css\/web\/site-[0-9a-f]{10}\.css$/);
    const { headers, text } = await request(site.app).get(address).expect(200);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-type"]).toBe("text/css; charset=utf-8");
    expect(text).toContain("--paper");
  });

  it("is sent as small as the browser can take it, and as it is to one that takes nothing", async () => {
    const address = assets.url("js/search/search.js");
    const ask = (encoding: string) => request(site.app).get(address).set("Accept-Encoding", encoding);
    const [plain, br, gzip] = [await ask("identity"), await ask("br, gzip"), await ask("gzip")];
    const encodings = [plain, br, gzip].map(({ headers }) => headers["content-encoding"]);
    expect(encodings).toEqual([undefined, "br", "gzip"]);
    // The client has unpacked them.
    expect(br.text).toBe(plain.text);
    expect(gzip.text).toBe(plain.text);
    expect(Number(br.headers["content-length"])).toBeLessThan(plain.text.length / 2);
    expect(br.headers.vary).toContain("Accept-Encoding");
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it("is not sent again to who has it", async () => {
    const address = assets.url("js/search/search.js");
    const { headers } = await request(site.app).get(address);
    await request(site.app)
      .get(address)
      .set("If-None-Match", headers.etag as string)
      .expect(304);
  });

  it("that was named by other content is gone, rather than answered by another one", async () => {
    await request(site.app).get("/assets/css/web/site-0000000000.css").expect(404);
    await request(site.app).get("/assets/css/web/site.css").expect(404);
    await request(site.app).get("/assets/../package.json").expect(404);
  });

  it("that is a picture keeps its plain name too, for records that name it, but not for ever", async () => {
    const { headers } = await request(site.app).get("/assets/img/logo.svg").expect(200);
    expect(headers["cache-control"]).toBe("public, max-age=3600");
  });

  it("that is not there is a fault of ours that shows itself", () => {
    expect(() => assets.url("js/nothing.js")).toThrow("public/ has no js/nothing.js");
  });

  it("may be added, for one site and not for all", async () => {
    const [mine, other] = [await buildAssets(), await buildAssets()];
    const address = mine.add("operator/logo.png", { type: "image/png", body: Buffer.from("a picture") });
    expect(address).toMatch(/^\/assets\/operator\/logo-[0-9a-f]{10}\.png$/);
    const appOf = (files: Assets) => express().use("/assets", serveAssets(files));
    await request(appOf(mine)).get(address).expect(200, Buffer.from("a picture"));
    await request(appOf(other)).get(address).expect(404);
  });

  it("is sent as it was compressed in advance", async () => {
    const files = await buildAssets();
    const body = Buffer.from("a{}");
    const compressed = { br: brotliCompressSync("b{}"), gzip: gzipSync("c{}") };
    const address = files.add("look/sheet.css", { type: "text/css", body, compressed });
    const app = express().use("/assets", serveAssets(files));
    const ask = (encoding: string) => request(app).get(address).set("Accept-Encoding", encoding);
    const sent = [await ask("identity"), await ask("br"), await ask("gzip")];
    expect(sent.map(({ text }) => text)).toEqual(["a{}", "b{}", "c{}"]);
  });

  it("takes no writes", async () => {
    const answer = await request(site.app).post(assets.url("js/search/search.js"));
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

describe("the build that a start keeps", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "almanac-assets-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Builds as another process would, with a module of its own; returns the number of the kept file. */
  async function start(name: string): Promise<number> {
    const another: typeof import("../../src/web/assets/build.ts") = await import(`${BUILD}?${name}`);
    await another.buildAssets(folder);
    return fs.statSync(path.join(folder, "assets.bin")).ino;
  }

  it("serves the next start, unless a file that builds has changed", async () => {
    const first = await start("first");
    expect(await start("second")).toBe(first);
    const { readFileSync } = fs;
    vi.spyOn(fs, "readFileSync").mockImplementation((file, options) =>
      String(file).endsWith("assets/styles.ts") ? "changed" : readFileSync(file, options),
    );
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(await start("third")).not.toBe(first);
  });
});

describe("the fonts", () => {
  it("weigh less than 60 KB in each language: Latin and Cyrillic together", () => {
    const fonts = [...assets.all()].filter(([name]) => name.endsWith(".woff2"));
    expect(fonts.map(([name]) => name.replace(/-[0-9a-f]{10}\.woff2$/, ""))).toEqual(
      expect.arrayContaining([expect.stringContaining("latin"), expect.stringContaining("cyrillic")]),
    );
    expect(fonts.reduce((sum, [, { body }]) => sum + body.length, 0)).toBeLessThan(60_000);
  });

  it.each([...LANGUAGES])(
    "are asked for at once on a page in %s: it has names in each alphabet",
    async (language) => {
      const { text } = await request(site.app).get(`/${language}`).expect(200);
      const asked = [...text.matchAll(/<link rel="preload" href="([^"]+)" as="font"/g)].map(
        ([, address]) => address,
      );
      expect(text).toContain(">Русский</a>");
      expect(asked).toEqual([
        expect.stringMatching(/onest-latin-/),
        expect.stringMatching(/onest-cyrillic-/),
      ]);
    },
  );
});

describe("what a page loads", () => {
  const languages = LANGUAGES.map((language) => ({ language }));

  it.each(languages)(
    "weighs less than it may, in $language: script 30 KB, style 15 KB",
    async ({ language }) => {
      const paths = ["", "/items", "/vehicles/411", "/donate", "/servers", "/nicknames", "/search?q=a"];
      for (const path of paths) {
        const { text } = await request(site.app).get(`/${language}${path}`);
        const files = [...attributes(text, "src"), ...attributes(text, "href")].filter((address) =>
          /^\/assets\/.*\.(js|css)$/.test(address),
        );
        const weigh = (ending: string) =>
          weightOf([...new Set(files)].filter((file) => file.endsWith(ending)));
        const [script, style] = [await weigh(".js"), await weigh(".css")];
        expect(script, `${path}: scripts`).toBeGreaterThan(1000);
        expect(script, `${path}: scripts`).toBeLessThan(30_000);
        expect(style, `${path}: styles`).toBeLessThan(15_000);
      }
    },
  );

  async function weightOf(files: string[]): Promise<number> {
    let sum = 0;
    for (const file of files) {
      const answer = await request(site.app).get(file).set("Accept-Encoding", "br").expect(200);
      sum += Number(answer.headers["content-length"]);
    }
    return sum;
  }
});
