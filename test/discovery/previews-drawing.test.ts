import { readFileSync } from "node:fs";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import type { PreviewCard } from "../../src/discovery/previews/card.ts";
import { drawPicture } from "../../src/discovery/previews/drawer.ts";
import { isWritable, writable } from "../../src/discovery/previews/font.ts";
import { layOut } from "../../src/discovery/previews/lay-out.ts";
import { previewName } from "../../src/discovery/previews/preview.ts";

const LOGO = readFileSync(new URL("../../public/img/logo.svg", import.meta.url));

const CARD: PreviewCard = {
  language: "en",
  kicker: "Item · Blades",
  name: "Knife",
  facts: [{ label: "Damage", text: "35" }],
  glyphs: [{ name: "sword", colour: "#5ec8c4" }],
  look: { siteName: "Almanac", accent: "#ff9e78", logo: "/assets/img/logo.svg" },
};

const draw = (card: Partial<PreviewCard> = {}, record?: Buffer) =>
  drawPicture(layOut({ ...CARD, ...card }, { record, logo: LOGO }));
const named = (name: string) => draw({ name });

/** The brightest value, 0 to 255, of a part of a picture. */
async function brightest(picture: Buffer, left: number, top: number, width: number, height: number) {
  const part = await sharp(picture).extract({ left, top, width, height }).greyscale().raw().toBuffer();
  return part.reduce((most, value) => Math.max(most, value), 0);
}

describe("a text in the font of pictures", () => {
  it.each([
    ["Knife", "Knife"],
    ["Нож Ґонта «Ё» № 5", "Нож Ґонта «Ё» № 5"],
    ["Đặng Škoda €", "Đặng Škoda €"],
    ["剑 of Ice", "Jian of Ice"],
    ["刀剑", "Dao Jian"],
    ["חרב", "khrb"],
    ["🗡 Blade 🗡️", "Blade"],
    ["🗡", ""],
    ["\u202Eevil\u0000", "evil"],
    ["half \uD800", "half"],
    ["a\n\tb", "a b"],
  ])("%j is written %j", (text, written) => {
    expect(writable(text)).toBe(written);
    expect(isWritable(writable(text))).toBe(true);
  });

  it("is a name that can be written whole if the record has one, else its romanised name, else its id", () => {
    expect(previewName(["剑", "Sword"], "i")).toBe("Sword");
    expect(previewName(["剑", "🗡"], "i")).toBe("剑");
    expect(previewName(["🗡"], "item-7")).toBe("item-7");
  });
});

describe("a drawn picture", () => {
  let knife: Buffer;
  beforeAll(async () => {
    knife = await named("Knife");
  });

  it("has letters, not boxes, though the machine's fonts are left out", async () => {
    const [latin, other, cyrillic, again] = await Promise.all(["HHH", "OOO", "ЖЖЖ", "HHH"].map(named));
    expect(latin?.equals(again as Buffer)).toBe(true);
    expect(latin?.equals(other as Buffer)).toBe(false);
    expect(latin?.equals(cyrillic as Buffer)).toBe(false);
    const [chinese, romanised] = await Promise.all(["剑", "Jian"].map(named));
    expect(chinese?.equals(romanised as Buffer)).toBe(true);
  });

  it.each([
    ["many words", "An extraordinarily long name of a weapon ".repeat(20)],
    ["one word", "Donaudampfschifffahrtsgesellschaftskapitänsmütze".repeat(8)],
    ["capitals without spaces", "W".repeat(300)],
  ])("keeps a name of %s within its place, and the facts readable below", async (_, name) => {
    const picture = await named(name);
    expect(picture.length).toBeLessThan(60_000);
    // Beside the name, left of the picture; and between the name and the facts.
    expect(await brightest(picture, 680, 140, 28, 460)).toBeLessThan(110);
    expect(await brightest(picture, 76, 470, 560, 44)).toBeLessThan(110);
    expect(await brightest(picture, 76, 520, 560, 60)).toBeGreaterThan(150);
  });

  it.each([
    '</span><span font_size="999999">Knife',
    "<b>&amp; &#60;]]><!--",
    '"><image href="file:///etc/passwd"/>',
  ])("writes %j as it is", async (name) => {
    const picture = await named(name);
    expect((await sharp(picture).metadata()).width).toBe(1200);
    expect(picture.equals(knife)).toBe(false);
  });

  it("puts no text of a record into SVG", () => {
    const evil = '"/><script/>';
    const { background } = layOut(
      {
        ...CARD,
        name: evil,
        kicker: evil,
        note: evil,
        facts: [{ label: evil, text: evil }],
        figure: { text: evil },
      },
      { record: undefined, logo: undefined },
    );
    expect(background).not.toContain("script");
  });
});
