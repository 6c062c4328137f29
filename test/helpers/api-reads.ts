import request from "supertest";
import { beforeAll, expect } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { TEST_CONFIG, type TestApp } from "./app.ts";

/** Reads of the API with the key of a new user. */
export function useReadKey(site: TestApp) {
  let key = "";
  beforeAll(async () => {
    const { id } = await site.createUser();
    key = String(await createKey(site.db, id, { name: "reader", expiry: "never" }));
  });
  return {
    get key() {
      return key;
    },
    get: (path: string) => request(site.app).get(path).set("X-API-Key", key),
  };
}

/** The ids on each page of a list, by following `next`; `between` runs after each page. */
export async function walkPages(
  get: (path: string) => request.Test,
  path: string,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = path; next !== null; ) {
    const { body, headers }: request.Response = await get(next.replace(TEST_CONFIG.baseUrl, "")).expect(200);
    pages.push(body.records.map(({ id }: { id: string }) => id));
    if (pages.length > 100) throw new Error("the pages have no end");
    next = body.next;
    expect(headers.link).toBe(next === null ? undefined : `<${next}>; rel="next"`);
    await between(pages.length);
  }
  return pages;
}
