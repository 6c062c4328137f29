import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { type GameCodes, withoutCodes } from "../../src/words/text/game-codes.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { runCommand } from "../helpers/cli.ts";
import { useFolder } from "../helpers/folder.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const { fileOf } = useFolder();
const vocabularyFile = fileOf("site.json", JSON.stringify({ kinds: { items: { codes: "wow" } } }));
const site = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ file: vocabularyFile }) }));

beforeEach(() => emptyCatalogue(site.db));

describe("codes of a game", () => {
  it.each<[GameCodes, string, string]>([
    ["samp", "{FF0000}[AK-47]{ffffff} gold", "[AK-47] gold"],
    ["samp", "{FF0000FF}~r~stop~w~~n~now {name} {FF00}", "stop\nnow {name} {FF00}"],
    ["mta", "#FF0000Red#ffffff #1 #abc", "Red #1 #abc"],
    ["quake", "^1Red ^x0f0Green ^7white ^^ 2 ^ 3", "Red Green white ^^ 2 ^ 3"],
    ["quake", "^*bold^r ^_under", "bold under"],
    ["minecraft", "§aGreen §lbold§r §x§f§f§0§0§0§0hex", "Green bold hex"],
    ["wow", "|cffa335ee|Hitem:19019::::|h[Thunderfury]|h|r", "[Thunderfury]"],
    ["wow", "|TInterface\\Icons\\x:16|t Gold|nand ||more|cnGREEN_FONT_COLOR:!|r", " Gold\nand |more!"],
    ["gw2", "<c=@Flavor>A blade.</c><br>Two <c=#ff0000>lines</c>", "A blade.\nTwo lines"],
    ["unity", '<color=#ff0000><b>Red</b></color> <size=20>big</size> <sprite name="x">', "Red big "],
    ["trackmania", "$f00Red $o$sbold $$5 $l[https://e.org]link$l", "Red bold $5 link"],
    ["paradox", "§YGold§! and §Rred§!", "Gold and red"],
  ])("of %s leave %j as %j", (game, text, left) => {
    expect(withoutCodes(text, game)).toBe(left);
  });

  it("are kept if there is nothing else", () => {
    expect(withoutCodes("{FF0000}", "samp")).toBe("{FF0000}");
    expect(withoutCodes("^1 ^2", "quake")).toBe("^1 ^2");
  });
});

async function run(kind: string, records: object[], ...options: string[]): Promise<void> {
  const file = fileOf("records.json", JSON.stringify(records));
  const config = { ...loadConfig({}), siteSchema: { file: vocabularyFile, isRequired: true } };
  const { code, err } = await runCommand(importCommand, site.db, [kind, file, ...options], { config });
  expect(code, err.join("\n")).toBe(0);
}

describe("--strip-codes", () => {
  it("removes the codes from every text, and from ids that are made of them", async () => {
    const image = "https://e.org/{FF0000}.png";
    const attributes = {
      ...{ "{FF0000}": "{FF0000}red", colour: "{FF0000}" },
      ...{ list: ["{FF0000}a", 5], inner: { a: "{FF0000}b" } },
    };
    const record = {
      ...{ name: "{FF0000}Sword", names: { ru: "{FF0000}Меч" }, category: "{00FF00}Blades" },
      ...{ description: "{00FF00}Sharp.", image, attributes },
    };
    await run("vehicles", [record], "--strip-codes", "samp", "--id-from", "name");
    const stored = ["id", "name", "names", "category", "description", "image", "attributes"];
    expect(await site.db("vehicles").first(stored)).toEqual({
      ...{
        id: "sword",
        name: "Sword",
        names: { ru: "Меч" },
        category: "Blades",
        description: "Sharp.",
        image,
      },
      attributes: { "{FF0000}": "red", colour: "{FF0000}", list: ["a", 5], inner: { a: "b" } },
    });
  });

  it("strips nothing by default", async () => {
    await run("vehicles", [{ id: "a", name: "{FF0000}Sword ^1 §a" }]);
    expect(await site.db("vehicles").first("name")).toEqual({ name: "{FF0000}Sword ^1 §a" });
  });

  it("overrides the vocabulary of the kind", async () => {
    const name = "|cff0000ffBlade|r ^1of §aIce";
    await run("items", [{ id: "a", name }]);
    await run("items", [{ id: "b", name }], "--strip-codes", "quake");
    expect(await site.db("items").orderBy("id").pluck("name")).toEqual([
      "Blade ^1of §aIce",
      "|cff0000ffBlade|r of §aIce",
    ]);
  });
});

describe("a kind's codes in the vocabulary", () => {
  let key: string;
  beforeAll(async () => {
    ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
  });
  const name = "|cff0000ffBlade|r";

  it("are removed from everything that the API writes, and from the search", async () => {
    const put = (kind: string) =>
      request(site.app).put(`/api/${kind}/one`).set("X-API-Key", key).send({ name }).expect(201);
    expect((await put("items")).body.name).toBe("Blade");
    expect((await put("vehicles")).body.name).toBe(name);
    const found = async (q: string) =>
      (await request(site.app).get("/api/search").query({ q })).body.items.length;
    await expect.poll(() => found("blade")).toBe(1);
    expect(await found("cff0000ffblade")).toBe(0);
    const records = [{ id: "two", name }];
    await request(site.app).post("/api/items").set("X-API-Key", key).send({ records }).expect(200);
    expect(await site.db("items").where({ id: "two" }).first("name")).toEqual({ name: "Blade" });
  });
});
