import { describe, expect, it } from "vitest";
import { withoutApiKey } from "../src/http/log.ts";

describe("an address in the log", () => {
  it.each([
    ["/api/online?api_key=alm_secret", "/api/online?api_key=***"],
    ["/api/online?limit=1&api_key=alm_secret&q=a", "/api/online?limit=1&api_key=***&q=a"],
    ["/api/online?api_key=one&api_key=two", "/api/online?api_key=***&api_key=***"],
    ["/api/online?api%5Fkey=alm_secret", "/api/online?api%5Fkey=***"],
    ["/api/online?API_KEY=alm_secret", "/api/online?API_KEY=***"],
    ["/api/online?api_key", "/api/online?api_key=***"],
  ])("%s loses its key", (url, logged) => {
    expect(withoutApiKey(url)).toBe(logged);
  });

  it.each(["/api/search?q=api_key", "/items", "/items?", "/api/search?q=a&limit=5"])(
    "%s stays as it is",
    (url) => {
      expect(withoutApiKey(url)).toBe(url);
    },
  );
});
