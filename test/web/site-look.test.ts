import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { oklch, wcagContrast } from "culori";
import fc from "fast-check";
import request from "supertest";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/settings/config.ts";
import { ConfigError } from "../../src/settings/sources.ts";
import { accentStyle, token } from "../../src/web/look/colours.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { mainOf } from "../helpers/html.ts";

const directory = mkdtempSync(path.join(tmpdir(), "almanac-look-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
}

/** The beginning of a PNG of a size, which is all that is looked at. */
function png(width: number, height = width): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000008060000", "hex");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>`;

describe("SITE_ACCENT", () => {
  it.each([
    ["#B3341B", "#b3341b"],
    ["rebeccapurple", "#663399"],
    ["hsl(120 100% 50%)", "#00ff00"],
  ])("%s is a colour", (value, accent) => {
    expect(loadConfig({ SITE_ACCENT: value }).look.accent).toBe(accent);
  });

  it("keeps the hue of a colour that an ordinary screen cannot show", () => {
    const shown = oklch(loadConfig({ SITE_ACCENT: "oklch(0.7 0.4 150)" }).look.accent ?? "");
    // What is cut off at the edge of the screen's colours turns a little.
    expect(Math.abs((shown?.h ?? 0) - 150)).toBeLessThan(5);
  });

  it.each(["reddish", "#b3341b80", "transparent", "#12", "var(--accent)"])("%s is refused", (value) => {
    expect(() => loadConfig({ SITE_ACCENT: value })).toThrow(/^SITE_ACCENT: must be an opaque CSS colour/);
  });
});

describe("SITE_LINKS", () => {
  it("are names and addresses, in their order", () => {
    const { links } = loadConfig({
      SITE_LINKS: "Forum=https://forum.example/?a=1, Game rules = http://game.example/rules ",
    }).look;
    expect(links).toEqual([
      { name: "Forum", url: "https://forum.example/?a=1" },
      { name: "Game rules", url: "http://game.example/rules" },
    ]);
  });

  it("have names by language, where these are given", () => {
    const { links } = loadConfig({
      SITE_LINKS: "Forum | ru: Форум | pt-BR: Fórum = https://forum.example/, Wiki=https://wiki.example/",
    }).look;
    expect(links).toEqual([
      { name: "Forum", names: { ru: "Форум", "pt-BR": "Fórum" }, url: "https://forum.example/" },
      { name: "Wiki", url: "https://wiki.example/" },
    ]);
  });

  it.each([
    "https://forum.example",
    "Forum|Форум=https://forum.example",
    "Forum|ru:=https://forum.example",
    "|ru:Форум=https://forum.example",
    `${"F".repeat(41)}=https://forum.example`,
    "Forum=forum.example",
    "Forum=javascript:alert(1)",
    "Forum=https://user:word@forum.example",
    "Forum=https://forum.example,",
    "=https://forum.example",
    Array.from({ length: 13 }, (_, index) => `L${index}=https://l.example`).join(),
  ])("%s is refused", (value) => {
    expect(() => loadConfig({ SITE_LINKS: value })).toThrow(/^SITE_LINKS: must be/);
  });
});

describe("MAP_BOUNDS", () => {
  it("are west, south, east, north", () => {
    const { mapBounds } = loadConfig({ MAP_BOUNDS: "-10.5, 0, 4,3.25" }).look;
    expect(mapBounds).toEqual({ west: -10.5, south: 0, east: 4, north: 3.25 });
    expect(TEST_CONFIG.look.mapBounds).toEqual({ west: -3000, south: -3000, east: 3000, north: 3000 });
  });

  it.each(["1,2,3", "1,2,3,4,5", "4,0,-4,1", "0,1,1,1", "0,0,one,1", "0,0,1e9,1"])(
    "%s is refused",
    (value) => {
      expect(() => loadConfig({ MAP_BOUNDS: value })).toThrow(/^MAP_BOUNDS: must be west,south,east,north/);
    },
  );
});

describe("SITE_LOGO and MAP_IMAGE", () => {
  const webp = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8L", "latin1"), Buffer.alloc(20)]);

  it("are recognised by the file's content, not by its name", () => {
    const type = (name: string, content: string | Buffer) =>
      loadConfig({ SITE_LOGO: fileOf(name, content) }).look.logo?.type;
    expect(type("a.png", SVG)).toBe("image/svg+xml");
    expect(type("b", `\uFEFF<?xml version="1.0"?>\n<!-- made by hand -->\n${SVG}`)).toBe("image/svg+xml");
    expect(type("c.svg", png(64))).toBe("image/png");
    expect(type("d.jpg", webp)).toBe("image/webp");
  });

  it("know the size of a PNG", () => {
    const { logo } = loadConfig({ SITE_LOGO: fileOf("sized.png", png(512, 300)) }).look;
    expect(logo).toEqual({
      file: path.join(directory, "sized.png"),
      type: "image/png",
      size: { width: 512, height: 300 },
    });
  });

  it("takes a JPEG for a map, which is no logo", () => {
    const file = fileOf("photo.jpg", Buffer.from("ffd8ffe000104a464946", "hex"));
    expect(loadConfig({ MAP_IMAGE: file }).look.mapImage?.type).toBe("image/jpeg");
    expect(() => loadConfig({ SITE_LOGO: file })).toThrow(/^SITE_LOGO: must be a picture \(SVG, PNG, WEBP\)/);
  });

  it.each([
    ["no picture at all", "words", /must be a picture/],
    ["a page with a picture in it", `<html><body>${SVG}`, /must be a picture/],
    ["an empty file", "", /must be a picture/],
    ["one that is too large", Buffer.concat([png(64), Buffer.alloc(512 * 1024)]), /must be at most 512 KiB/],
  ])("refuse %s", (_name, content, message) => {
    expect(() => loadConfig({ SITE_LOGO: fileOf("bad", content) })).toThrow(message);
  });

  it("refuse a file that is not there", () => {
    const attempt = () => loadConfig({ SITE_LOGO: path.join(directory, "gone.svg"), MAP_IMAGE: directory });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(/^SITE_LOGO: must be a file that can be read: .*ENOENT/);
    expect(attempt).toThrow(/MAP_IMAGE: must be a file that can be read: .*EISDIR/);
  });
});

describe("the accent's style sheet", () => {
  const colour = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, "0")}`);

  /** The values of one theme, by their names. */
  function valuesOf(sheet: string, theme: string): Record<string, string> {
    const [, block = ""] = new RegExp(`:root\\[data-theme=${theme}\\]\\{([^}]*)\\}`).exec(sheet) ?? [];
    return Object.fromEntries(block.split(";").map((line) => line.slice(2).split(":")));
  }

  it("keeps text at 4.5:1 on every ground, by day and by night, whatever the colour", () => {
    const check = (accent: string) => {
      const sheet = accentStyle(accent);
      for (const theme of ["light", "dark"] as const) {
        const values = valuesOf(sheet, theme);
        const pairs = [
          ...["paper", "surface", "sunken"].map((name) => [values.accent, token(name)[theme]]),
          ...["band", "band-raised"].map((name) => [values["band-accent"], token(name)[theme]]),
          [values["on-accent"], values.accent],
          [values["on-band-accent"], values["band-accent"]],
        ];
        for (const [text = "", ground = ""] of pairs) {
          expect(
            wcagContrast(text, ground),
            `${accent} ${theme}: ${text} on ${ground}`,
          ).toBeGreaterThanOrEqual(4.5);
        }
      }
    };
    for (const accent of ["#000000", "#ffffff", "#ffff00", "#0000ff"]) check(accent);
    fc.assert(fc.property(colour, check), { numRuns: 60 });
  });

  it("leaves a colour that can be read as it is, and moves another in its lightness alone", () => {
    const day = valuesOf(accentStyle("#0b5f66"), "light");
    expect(day.accent).toBe("#0b5f66");
    const night = valuesOf(accentStyle("#0b5f66"), "dark");
    expect(Math.abs((oklch(night.accent ?? "")?.h ?? 0) - (oklch("#0b5f66")?.h ?? 0))).toBeLessThan(3);
    expect(valuesOf(accentStyle("#ffffff"), "light").accent).toMatch(/^#([4-9a-f]{2})\1\1$/);
  });

  it("is the same by the system's setting as by the switch", () => {
    const sheet = accentStyle("#0b5f66");
    const [light, dark] = [valuesOf(sheet, "light"), valuesOf(sheet, "dark")];
    expect(sheet).toContain(`:root{--accent:${light.accent};`);
    expect(sheet).toContain(`@media (prefers-color-scheme:dark){:root{--accent:${dark.accent};`);
  });
});

describe("a site with an operator's look", () => {
  const logo = { file: fileOf("logo", SVG), type: "image/svg+xml", size: undefined } as const;
  const url = "https://forum.example/?a=1&b=2";
  const links = [{ name: "Forum & rules", names: { ru: "Форум & правила" }, url }];
  const own = useTestApp({ look: { ...TEST_CONFIG.look, logo, links, accent: "#00a1ff" } });

  it("has its files under names that say what is in them", async () => {
    const { text } = await request(own.app).get("/en/docs/errors").expect(200);
    const [style = ""] = /\/assets\/look\/accent-[0-9a-f]{10}\.css/.exec(text) ?? [];
    const { headers, text: sheet } = await request(own.app).get(style).expect(200);
    expect(headers["content-type"]).toMatch(/^text\/css/);
    expect(headers["cache-control"]).toContain("immutable");
    expect(sheet).toBe(accentStyle("#00a1ff"));
    expect(text.indexOf(style)).toBeGreaterThan(text.indexOf("/assets/css/web/site-"));
    const [picture = ""] = /\/assets\/look\/logo-[0-9a-f]{10}\.svg/.exec(text) ?? [];
    const served = await request(own.app).get(picture).responseType("blob").expect(200);
    expect(served.body.toString()).toBe(SVG);
  });

  it("links to the game's own places", async () => {
    const { text } = await request(own.app).get("/en/docs/errors").expect(200);
    expect(text).toMatch(
      /<a [^>]*href="https:\/\/forum\.example\/\?a=1&amp;b=2"[^>]*>[\s\S]{0,200}Forum &amp; rules/,
    );
  });

  it("calls them as readers of the language do, in all places", async () => {
    for (const path of ["/ru/docs/errors", "/ru/login/forgotten"]) {
      const { text } = await request(own.app).get(path).expect(200);
      expect(text).toContain("Форум &amp; правила</a>");
      expect(text).not.toContain("Forum &amp; rules");
    }
  });

  it("says there where somebody is to ask the operator for a new password", async () => {
    const { text } = await request(own.app).get("/en/login/forgotten").expect(200);
    expect(mainOf(text)).toContain('<a href="https://forum.example/?a=1&amp;b=2"');
  });
});
