import type { Express } from "express";
import { describe, expect, it } from "vitest";
import { buildAssets } from "../../src/web/assets/build.ts";
import { createOffline } from "../../src/web/look/routes.ts";

describe("the off-line page", () => {
  it("is made again when making it failed, and then once", async () => {
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
