import request from "supertest";
import { describe, expect, it } from "vitest";
import { choosePicture } from "../../src/records/picture.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { ConfigError } from "../../src/settings/sources.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { addDonateItem } from "../helpers/things.ts";

const HOSTS = ["images.example", "*.game.example"];

describe("a record's picture", () => {
  it.each(["https://images.example/a.png", "https://cdn.game.example/a.png", "/assets/img/logo.svg"])(
    "is shown from this site and from the operator's hosts: %s",
    (image) => {
      expect(choosePicture({ picture: null, image }, HOSTS)).toMatchObject({ src: image });
    },
  );

  it.each([
    ["https://other.example/a.png", "other.example"],
    ["https://game.example/a.png", "game.example"],
    ["https://images.example:8443/a.png", "images.example:8443"],
    ["http://images.example/a.png", "images.example"],
  ])("is a link to any other host, which no browser loads by itself: %s", (image, host) => {
    expect(choosePicture({ picture: null, image }, HOSTS)).toEqual({ href: image, host });
    expect(choosePicture({ picture: null, image }, [])).toEqual({ href: image, host });
  });

  it.each([
    ...[null, "https://", "//images.example/a.png", "/\\images.example/a.png"],
    ...["javascript:alert(1)", "data:image/png;base64,AA", "ArcaneProjection.png"],
  ])("is absent without a valid address: %s", (image) => {
    expect(choosePicture({ picture: null, image }, HOSTS)).toBeUndefined();
  });
});

describe("pages with pictures", () => {
  const plain = useTestApp();
  const chosen = useTestApp({ imageHosts: HOSTS });

  it.each([
    ["https://images.example/a.png", '<img src="https://images.example/a.png"'],
    ["https://other.example/a.png", '<a href="https://other.example/a.png" rel="noreferrer nofollow">'],
  ])("show or link it on a record's page and in the shop: %s", async (image, markup) => {
    const { db } = chosen;
    await db("items").where({ id: "7" }).delete();
    await db("donate_items").delete();
    await insertRecords(db, "items", [{ id: "7", name: "Seven", image }]);
    await addDonateItem(db, "vip", { image });
    for (const path of ["/items/7", "/donate/vip"]) expect(await chosen.page(path)).toContain(markup);
  });

  it("let browsers load pictures of this site only, until the operator names other hosts", async () => {
    const policyOf = async (app: typeof plain.app) =>
      /img-src ([^;]*)/.exec((await request(app).get("/")).headers["content-security-policy"] ?? "")?.[1];
    expect(await policyOf(plain.app)).toBe("'self' data:");
    expect(await policyOf(chosen.app)).toBe("'self' data: https://images.example https://*.game.example");
  });
});

describe("the setting IMAGE_HOSTS", () => {
  it("is empty by default, and refuses anything but hosts", () => {
    expect(loadConfig({}).imageHosts).toEqual([]);
    expect(loadConfig({ IMAGE_HOSTS: "Images.example, *.game.example" }).imageHosts).toEqual(HOSTS);
    for (const bad of ["https://images.example", "*", "images.example;script-src *"]) {
      expect(() => loadConfig({ IMAGE_HOSTS: bad })).toThrow(ConfigError);
    }
  });
});
