import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import { afterAll, beforeAll } from "vitest";
import { makeKindTables } from "../../src/db/own-kinds.ts";
import type { CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { ownKinds } from "../../src/words/kinds/own-kinds.ts";
import { readVocabularyFile } from "../../src/words/vocabulary/live.ts";
import { registerOwnKinds } from "../../src/words/vocabulary/own-kinds.ts";

/** Quests that are given by items, and places on the map that have no feed. */
export const QUESTS = {
  kinds: {
    quests: {
      one: "quest",
      name: {
        one: { en: "Quest", ru: "Квест" },
        many: { en: "Quests", ru: "Квесты" },
        count: {
          en: { one: "{figure} quest", other: "{figure} quests" },
          ru: {
            one: "{figure} квест",
            few: "{figure} квеста",
            many: "{figure} квестов",
            other: "{figure} квеста",
          },
        },
      },
      glyph: "scroll",
      colour: "#7a4cc2",
      attributes: {
        level: { label: { en: "Level", ru: "Уровень" }, type: "number", order: 1, inLists: true },
        region: {
          label: { en: "Region", ru: "Регион" },
          values: { North: { label: { ru: "Север" } }, South: { label: { ru: "Юг" } } },
        },
      },
    },
    camps: {
      one: "camp",
      name: { one: "Camp", many: "Camps" },
      searched: false,
      compared: false,
      favorite: false,
      feed: false,
      placed: true,
    },
  },
} as const;

/** An own kind as code that takes kinds wants it. */
export function kind(name: "quests" | "camps"): CatalogueKind {
  return name as string as CatalogueKind;
}

/** A vocabulary in a file, whose kinds this process knows until the tests of the file are over. */
export interface KindsFile {
  readonly path: string;
  write(vocabulary: object): void;
}

/** Makes kinds known for a test file; call it before what makes the site, which is made of them. */
export function useOwnKinds(vocabulary: object = QUESTS): KindsFile {
  const folder = mkdtempSync(path.join(tmpdir(), "almanac-kinds-"));
  const file = path.join(folder, "site.json");
  const write = (content: object) => writeFileSync(file, JSON.stringify(content));
  write(vocabulary);
  beforeAll(() => void registerOwnKinds(readVocabularyFile(file)));
  afterAll(() => {
    registerOwnKinds({});
    rmSync(folder, { recursive: true });
  });
  return { path: file, write };
}

/** Makes the tables of the kinds that this process knows. */
export async function makeTables(db: Knex): Promise<void> {
  await makeKindTables(db, ownKinds());
}
