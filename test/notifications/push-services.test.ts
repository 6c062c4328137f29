import { parse } from "node:url";
import { describe, expect, it } from "vitest";
import { pushEndpoint } from "../../src/notifications/push/api.ts";
import { loadConfig } from "../../src/settings/config.ts";

const SERVICES = [
  "fcm.googleapis.com",
  "*.push.apple.com",
  "push.test:8443",
  "127.0.0.1:4443",
  "443.test:443",
];

describe("an endpoint that a browser names", () => {
  it.each([
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://fcm.googleapis.com:443/fcm/send/abc",
    "https://web.push.apple.com/QGuQyavXutnMH",
    "https://a.b.push.apple.com/x?y=z",
    "https://push.test:8443/x",
    "https://127.0.0.1:4443/x",
    "https://443.test/x",
    "https://FCM.googleapis.com/x",
  ])("%s is one of a push service", (endpoint) => {
    expect(pushEndpoint(endpoint, SERVICES)).toBe(new URL(endpoint).href);
  });

  it.each([
    ["http", "http://fcm.googleapis.com/x"],
    ["another host", "https://example.com/fcm.googleapis.com"],
    ["a machine that only the site reaches", "https://10.0.0.1/"],
    ["the site's own machine", "https://127.0.0.1/"],
    ["another port", "https://fcm.googleapis.com:8443/x"],
    ["the usual port where another one is meant", "https://push.test/x"],
    ["the domain itself where its hosts are meant", "https://push.apple.com/x"],
    ["a domain that ends alike", "https://evilpush.apple.com/x"],
    ["a domain that begins alike", "https://fcm.googleapis.com.evil.test/x"],
    ["a port below a domain", "https://web.push.apple.com:8443/x"],
    ["nothing before the domain", "https://.push.apple.com/x"],
    ["a dot at the end", "https://fcm.googleapis.com./x"],
    ["a user", "https://fcm.googleapis.com@evil.test/x"],
    ["a user at the right host", "https://user:pass@fcm.googleapis.com/x"],
    ["a part after #", "https://fcm.googleapis.com/x#y"],
    ["no address", "fcm.googleapis.com/x"],
    ["nothing", ""],
    ["a file", "file:///etc/passwd"],
  ])("with %s is none: %s", (_what, endpoint) => {
    expect(pushEndpoint(endpoint, SERVICES)).toBeUndefined();
  });

  it.each([
    "https://fcm.googleapis.com\\@evil.test/x",
    "https:\\\\fcm.googleapis.com\\x",
    "https://fcm.googleapis.com\t/x",
    " https://fcm.googleapis.com/a b'{}|^`",
    "https://ｆｃｍ.googleapis.com/x",
    "https://fcm.googleapis%2ecom/x",
    "https:fcm.googleapis.com/x",
  ])("%j is written so that every parser takes it for the same host", (endpoint) => {
    const address = pushEndpoint(endpoint, SERVICES);
    expect(address).toMatch(/^https:\/\/fcm\.googleapis\.com\//);
    // web-push signs for the host that Node's older parser sees.
    expect(parse(String(address)).host).toBe("fcm.googleapis.com");
  });

  it("may be one of the services of the browsers in use, unless an operator names others", () => {
    const { pushServices } = loadConfig({});
    for (const endpoint of [
      "https://fcm.googleapis.com/fcm/send/a",
      "https://updates.push.services.mozilla.com/wpush/v2/a",
      "https://wns2-par02p.notify.windows.com/w/?token=a",
      "https://web.push.apple.com/a",
    ]) {
      expect(pushEndpoint(endpoint, pushServices)).toBe(endpoint);
    }
    const named = loadConfig({ PUSH_SERVICES: "push.test" }).pushServices;
    expect(pushEndpoint("https://fcm.googleapis.com/x", named)).toBeUndefined();
    expect(pushEndpoint("https://push.test/x", named)).toBe("https://push.test/x");
  });
});
