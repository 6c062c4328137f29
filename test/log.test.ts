import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../src/http/log.ts";
import { paths } from "../src/urls.ts";

describe("an address in the log", () => {
  it.each([
    ["/api/online?api_key=alm_secret", "/api/online?api_key=***"],
    ["/api/online?limit=1&api_key=alm_secret&q=a", "/api/online?limit=1&api_key=***&q=a"],
    ["/api/online?api_key=one&api_key=two", "/api/online?api_key=***&api_key=***"],
    ["/api/online?api%5Fkey=alm_secret", "/api/online?api%5Fkey=***"],
    ["/api/online?API_KEY=alm_secret", "/api/online?API_KEY=***"],
    ["/api/online?api_key", "/api/online?api_key=***"],
    ["/api/online?q=a?b&api_key=alm_secret", "/api/online?q=a?b&api_key=***"],
  ])("%s loses its key", (url, logged) => {
    expect(withoutSecrets(url)).toBe(logged);
  });

  it.each([
    [paths.newPassword("secret"), "/login/new-password/***"],
    [paths.confirmEmail("secret"), "/confirm-email/***"],
    [paths.unsubscribe("secret.of/parts"), "/unsubscribe/***"],
    [paths.notificationFeed("secret"), "/notifications/feed/***"],
    ["/confirm-email/secret?api_key=alm_secret&a=b", "/confirm-email/***?api_key=***&a=b"],
    ["/login/new-password/secret/", "/login/new-password/***"],
  ])("%s loses its token", (url, logged) => {
    expect(withoutSecrets(url)).toBe(logged);
  });

  it.each(["/api/search?q=api_key", "/items", "/items?", "/login/new-password/", "/api/search?q=a&limit=5"])(
    "%s stays as it is",
    (url) => {
      expect(withoutSecrets(url)).toBe(url);
    },
  );
});
