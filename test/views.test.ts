import { describe, expect, it } from "vitest";
import { unknownProperties } from "./helpers/view-types.ts";
import { type Rendering, readRenderings, readsOf, readViews, viewSources } from "./helpers/views.ts";

const sources = viewSources();
const views = readViews(sources);
const { renderings, beside } = readRenderings();

/** Rendered by src/notifications/mail/render.ts, which puts their names together. */
const isMail = (view: string) => view.startsWith("notifications/mail/");

describe("views", { timeout: 60_000 }, () => {
  it("are all there, and all rendered or included", () => {
    const included = [...views.values()].flatMap((reads) => reads.includes.flatMap((each) => each.views));
    const used = new Set([...renderings.map(({ view }) => view), ...included]);
    expect([...used].filter((view) => !views.has(view))).toEqual([]);
    expect([...views.keys()].filter((view) => !used.has(view) && !isMail(view))).toEqual([]);
  });

  it("read only what they are given", () => {
    expect(renderings.flatMap((rendering) => missingIn(views, rendering))).toEqual([]);
  });

  it("read only properties that are there", () => {
    expect(unknownProperties(views, renderings)).toEqual([]);
  });

  it("read all that they are given", () => {
    expect(renderings.flatMap((rendering) => unreadIn(views, rendering))).toEqual([]);
    const read = new Set(renderings.flatMap(({ view }) => [...readsOf(views, view).needed]));
    expect(beside.page.filter((name) => !read.has(name) && !beside.locale.includes(name))).toEqual([]);
  });

  it("read all that an include passes", () => {
    const unread = [...views].flatMap(([view, { includes }]) =>
      includes.flatMap(({ views: [included = ""], passed }) => {
        const { needed, optional } = readsOf(views, included);
        const isRead = (name: string) => needed.has(name) || optional.has(name);
        return (passed ?? []).filter((name) => !isRead(name)).map((name) => `${view}: ${included}: ${name}`);
      }),
    );
    expect(unread).toEqual([]);
  });

  it("write every time by the format's elements, which the browser turns to the reader's zone", () => {
    const own = [...sources].filter(
      ([view, source]) => !isMail(view) && /<time\s|format\.(time|date)\(/.test(source),
    );
    expect(own.map(([view]) => view)).toEqual([]);
  });

  it("ask only for what somebody may give", () => {
    const given = new Set([
      ...renderings.flatMap(({ keys }) => keys.all),
      ...[...views.values()].flatMap(({ includes }) => includes.flatMap(({ passed }) => passed ?? [])),
    ]);
    const asked = [...views].filter(([view]) => !isMail(view)).flatMap(([, { optional }]) => [...optional]);
    expect(asked.filter((name) => !given.has(name))).toEqual([]);
  });
});

describe("the check of views", { timeout: 60_000 }, () => {
  it("names what is missing and what is unread, through includes", () => {
    const broken = readViews(
      new Map([
        ["a/page", '<% for (const { id } of rows) { %><%= t(id) %><%- include("part", { id }) %><% } %>'],
        ["a/part", "<%= id %><%= unknown %><%= { title } %><%= locals.lang %><%= Math.max(1, 2) %>"],
      ]),
    );
    const rendering = {
      view: "a/page",
      where: "here",
      data: undefined,
      beside: "locale",
      keys: { all: ["rows", "title", "lang", "old"], sure: ["rows", "lang", "old"] },
    } satisfies Rendering;
    expect(missingIn(broken, rendering)).toEqual(["here: a/page: unknown", "here: a/page: title"]);
    expect(unreadIn(broken, rendering)).toEqual(["here: a/page: old"]);
  });

  it("names a property that the data has not", () => {
    const view = "accounts/deleted";
    const broken = readViews(new Map([[view, "<%= name.lenght %><%= t(name.at(0)) %>"]]));
    const found = unknownProperties(
      broken,
      renderings.filter((rendering) => rendering.view === view),
    );
    expect(found).toEqual([expect.stringMatching(/^src\/accounts\/profile\.ts: .*'lenght'/)]);
  });
});

function missingIn(known: typeof views, { view, where, beside: by, keys }: Rendering): string[] {
  const given = new Set([...keys.sure, ...beside[by]]);
  return [...readsOf(known, view).needed]
    .filter((name) => !given.has(name))
    .map((name) => `${where}: ${view}: ${name}`);
}

function unreadIn(known: typeof views, { view, where, keys }: Rendering): string[] {
  const { needed, optional } = readsOf(known, view);
  return keys.all
    .filter((name) => !needed.has(name) && !optional.has(name) && !beside.page.includes(name))
    .map((name) => `${where}: ${view}: ${name}`);
}
