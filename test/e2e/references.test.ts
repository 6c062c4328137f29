import { beforeAll, describe, expect, it } from "vitest";
import { followAttributes } from "../../src/records/relations/reference-queries.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";

const file = useOwnKinds({
  kinds: {
    ...QUESTS.kinds,
    quests: {
      ...QUESTS.kinds.quests,
      attributes: {
        giver: {
          label: { en: "Given at", ru: "Где взять" },
          type: "entry",
          kind: "businesses",
          inLists: true,
          reverse: { en: "Quests from here", ru: "Здесь дают квесты" },
        },
        rewards: {
          label: { en: "Rewards", ru: "Награды" },
          type: "entries",
          kind: "items",
          inLists: true,
        },
        forum: { label: { en: "Forum", ru: "Форум" }, type: "link", inLists: true },
        guide: { label: { en: "Walkthrough", ru: "Прохождение" }, type: "richText" },
      },
    },
  },
});
const site = useBrowserSite({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));

beforeAll(async () => {
  const { db } = site.database;
  await makeTables(db);
  const words = new LiveVocabulary({ file: file.path }).of({ withDefaults: true });
  await followAttributes(db, words.references());
  const { rows } = await db.raw("select id from items order by popularity desc nulls last, id limit 30");
  await insertRecords(db, kind("quests"), [
    {
      id: "wolves",
      name: "Hunt the wolves",
      names: { en: "Hunt the wolves", ru: "Охота на волков" },
      attributes: {
        giver: "biz-1",
        rewards: [{ id: "weapon-24", count: 1 }, { id: "res-coal", count: 12.5 }, { id: "no-such-thing" }],
        forum: "https://forum.example.com/topic/1",
        guide:
          "## North\n\nBring **five** claws.\nThen go back.\n\n| Wolf | Claws |\n| --- | --- |\n| grey | 2 |",
      },
    },
    {
      id: "treasure",
      name: "A treasure of everything",
      attributes: { giver: "Ammu-Nation Downtown", rewards: rows.map(({ id }: { id: string }) => id) },
    },
  ]);
});

const LANGUAGES = [
  {
    prefix: "",
    locale: "en",
    width: 1280,
    wolves: "Hunt the wolves",
    shop: "Ammu-Nation Downtown",
    gun: "Desert Eagle",
    reverse: "Quests from here",
    default: "Quests: “Rewards”",
    more: "and 6 more",
    all: "30 entries",
  },
  {
    prefix: "/ru",
    locale: "ru",
    width: 390,
    wolves: "Охота на волков",
    shop: "Ammu-Nation в центре",
    gun: "Пистолет «Дезерт Игл»",
    reverse: "Здесь дают квесты",
    default: "Квесты: «Награды»",
    more: "и ещё 6",
    all: "30 записей",
  },
];

describe.each(LANGUAGES)("entries that attributes name, in $locale", (said) => {
  it("lead there from lists and pages, and back from there", async () => {
    const { page, complaints } = await site.visit({ locale: said.locale });
    const main = page.locator("main");
    await page.goto(`${said.prefix}/quests`);
    await main.getByRole("link", { name: said.shop }).first().click();
    await page.waitForURL(`**${said.prefix}/businesses/biz-1`);
    await main.getByRole("heading", { name: said.reverse }).waitFor();
    await main.getByRole("link", { name: said.wolves }).click();
    await page.waitForURL(`**${said.prefix}/quests/wolves`);
    await main.getByRole("link", { name: said.gun }).click();
    await page.waitForURL(`**${said.prefix}/items/weapon-24`);
    await main.getByRole("heading", { name: said.default }).waitFor();
    await page.goto(`${said.prefix}/quests/treasure`);
    await main.getByRole("link", { name: said.more }).click();
    await main.getByText(said.all).waitFor();
    expect(complaints).toEqual([]);
  });
});
