import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { addServer } from "../helpers/servers.ts";

const site = useTestApp();
const checked_at = new Date();

beforeEach(async () => {
  await site.db("servers").delete();
});

async function badge(path = "/servers/a/badge.svg"): Promise<string> {
  const { body } = await request(site.app).get(path).expect(200);
  return body.toString();
}

/** What the badge says to those who do not see it. */
async function label(path?: string): Promise<string | undefined> {
  return /aria-label="([^"]*)"/.exec(await badge(path))?.[1];
}

describe("a server's badge", () => {
  it.each([
    [{ status: "online", online: 1200, max_online: 2000 }, "Server a: 1,200 / 2,000"],
    [{ status: "online", online: 7 }, "Server a: 7 online"],
    [{ status: "online" }, "Server a: online"],
    [{ status: "offline", online: 7, max_online: 50 }, "Server a: offline"],
    [{ status: "unknown", online: 7, max_online: 50 }, "Server a: unknown"],
  ])("of %j says %j", async (state, text) => {
    await addServer(site.db, { id: "a", checked_at, ...state });
    expect(await label()).toBe(text);
  });

  it("is in the language of its address", async () => {
    await addServer(site.db, { id: "a", status: "offline", checked_at });
    expect(await label("/ru/servers/a/badge.svg")).toBe("Server a: офлайн");
  });

  it("shows any name as text, and cuts a long one", async () => {
    await addServer(site.db, { id: "a", name: `<script>alert("x")</script>&\u0001`, status: "unknown" });
    const svg = await badge();
    expect(svg).not.toContain("<script");
    expect(svg).not.toContain("\u0001");
    await site.db("servers").update({ name: "x".repeat(200) });
    expect(await label()).toBe(`${"x".repeat(59)}…: unknown`);
  });

  it("may be shown by any site and kept for a minute", async () => {
    await addServer(site.db, { id: "a" });
    const { headers } = await request(site.app).get("/servers/a/badge.svg").expect(200);
    expect(headers).toMatchObject({
      "content-type": "image/svg+xml; charset=utf-8",
      "cache-control": "public, max-age=60, stale-if-error=600",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    const again = await request(site.app)
      .get("/servers/a/badge.svg")
      .set("If-None-Match", headers.etag ?? "");
    expect(again.status).toBe(304);
  });

  it("is not there for an unknown server", async () => {
    await request(site.app).get("/servers/nobody/badge.svg").expect(404);
  });

  it("comes with codes to paste, with nothing in a name that breaks them", async () => {
    await addServer(site.db, { id: "a/b", name: `Grove ["x"](y) <b>` });
    const { text } = await request(site.app).get("/servers/a%2Fb").expect(200);
    const code = (id: string) =>
      new RegExp(`id="${id}"[^>]*>([^<]*)<`)
        .exec(text)?.[1]
        ?.replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll(/&#34;|&quot;/g, '"');
    const page = /<a href="([^"]+)">/.exec(code("badge-html") ?? "")?.[1] ?? "";
    expect(page).toMatch(/^https?:.*\/servers\/a%2Fb$/);
    expect(code("badge-html")).toBe(
      `<a href="${page}"><img src="${page}/badge.svg" alt="Grove x (y) b"></a>`,
    );
    expect(code("badge-markdown")).toBe(`[![Grove x (y) b](${page}/badge.svg)](${page})`);
    expect(code("badge-bbcode")).toBe(`[url=${page}][img]${page}/badge.svg[/img][/url]`);
  });
});
