import type { Express } from "express";
import request from "supertest";
import type { SiteListener } from "../../src/app.ts";
import { attributes } from "./html.ts";

/** The contents of a page's `<meta>` elements by property or name; one that is there more often has its last content. */
export function metaOf(html: string): Record<string, string> {
  const found = [...html.matchAll(/<meta (?:property|name)="([^"]+)" content="[^"]*">/g)];
  return Object.fromEntries(found.map(([tag, name = ""]) => [name, attributes(tag, "content")[0] ?? ""]));
}

/** The path of the picture of a page. */
export function previewPathOf(html: string): string {
  return new URL(metaOf(html)["og:image"] ?? "").pathname;
}

/** A page's text, and the answer to the request for its picture. */
export async function askPreview(app: SiteListener | Express, path: string, status = 200) {
  const { text } = await request(app).get(path).expect(status);
  // As chats do: a server's picture of five minutes ago leads to the one of now.
  const picture = await request(app).get(previewPathOf(text)).redirects(1).buffer(true).expect(200);
  return { text, meta: metaOf(text), picture, bytes: picture.body as Buffer };
}
