import type { Router } from "express";
import { beforeEach, describe, expect, it } from "vitest";
import { createSitemapFiles } from "../../src/discovery/sitemap/files.ts";
import { SITEMAP_LIMITS } from "../../src/discovery/sitemap/size.ts";
import { BUILT_IN_KINDS, type CatalogueKind, has } from "../../src/words/kinds/kinds.ts";
import { entryId, paths } from "../../src/words/urls.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

type Layer = Router["stack"][number] & { slash?: boolean };

/**
 * Every path that the site routes, as its routers have it: `/houses/map`, `/houses/:id`. Not what is mounted below a
 * path of its own, such as `/api`; of the others `slash` is true.
 */
function routedPaths(layers: Layer[] = site.app.express.router.stack): string[] {
  return layers.flatMap((layer) => {
    const inner = layer.handle as Partial<Router>;
    if (layer.route) return [layer.route.path];
    return layer.slash ? routedPaths(inner.stack ?? []) : [];
  });
}

/** The words that a route takes where an id of the kind would stand. */
function fixedWords(kind: string): string[] {
  const words = routedPaths().map((path) => new RegExp(`^/${kind}/([^/:]+)`).exec(path)?.[1]);
  return [...new Set(words.filter((word) => word !== undefined))];
}

/** Words that a route takes, and what their escaped forms look like: all of them are ids that a source may have. */
function oddIds(kind: CatalogueKind): string[] {
  const words = [...fixedWords(kind), "map", "points", "compare"];
  return [...new Set(words.flatMap((word) => [word, `~${word}`, `~~${word}`]))].concat("~", "~other");
}

describe("a word that is a page below a kind's path", () => {
  it("exists for the maps only: servers and the shop, whose ids are never escaped, have none", () => {
    expect(Object.fromEntries(BUILT_IN_KINDS.map((kind) => [kind, fixedWords(kind)]))).toEqual({
      items: [],
      vehicles: [],
      scripts: [],
      houses: ["map"],
      businesses: ["map"],
    });
    expect([...fixedWords("servers"), ...fixedWords("donate")]).toEqual([]);
  });

  // The kinds with maps, and one that stands for the others.
  it.each(["houses", "businesses", "items"] as const)(
    "hides no id of %s: each has a page of its own, which links and the sitemap agree on",
    async (kind) => {
      const ids = oddIds(kind);
      const records = ids.map((id) => ({ id, name: `Called ${id}` }));
      await insertRecords(site.db, kind, records);
      const addresses = ids.map((id) => paths.entry(kind, id));
      expect(new Set(addresses).size).toBe(ids.length);
      const list = await site.page(paths.catalogue(kind));
      expect(attributes(list, "href")).toEqual(expect.arrayContaining(addresses));
      for (const [at, id] of ids.entries()) {
        const text = await site.page(`/ru${addresses[at]}`);
        expect(textOf(elements(text, "h1")[0] ?? "")).toBe(`Called ${id}`);
        expect(text).toContain(`<link rel="canonical" href="${TEST_CONFIG.baseUrl}/ru${addresses[at]}">`);
      }
      const files = createSitemapFiles(site.db, TEST_CONFIG.baseUrl, SITEMAP_LIMITS);
      const listed: string[] = [];
      for await (const { path } of (await files.whole())?.urls ?? []) listed.push(path);
      const ours = listed.filter((path) => path.startsWith(`/${kind}/`) && path !== mapOf(kind));
      expect(ours.toSorted()).toEqual(addresses.toSorted());
      expect(ours.filter((path) => fixedWords(kind).includes(path.split("/")[2] ?? ""))).toEqual([]);
    },
  );

  it("is escaped, and no other id: addresses that were known before stay", () => {
    expect(paths.entry("houses", "map")).toBe("/houses/~map");
    expect(paths.entry("houses", "maple")).toBe("/houses/maple");
    expect(paths.entry("houses", "~a")).toBe("/houses/~a");
    expect(paths.entry("items", "map")).toBe("/items/map");
    expect(entryId("houses", "~a")).toBe("~a");
    expect(entryId("houses", "map")).toBe("map");
  });
});

describe("the maps", () => {
  it("keep their address if a house has the id `map`", async () => {
    await insertRecords(site.db, "houses", [{ id: "map", attributes: { x: 1, y: 2 } }]);
    const text = await site.page("/houses/map");
    expect(textOf(elements(text, "h1")[0] ?? "")).toBe("Map of houses");
    expect(attributes(text, "href")).toContain("/houses/~map");
  });
});

/** The page of a kind's map, which the sitemap lists among the site's own pages. */
function mapOf(kind: CatalogueKind): string | undefined {
  return has(kind, "isPlaced") ? paths.map(kind) : undefined;
}
