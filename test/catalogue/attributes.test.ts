import { describe, expect, it } from "vitest";
import { attributeRows as rowsOf } from "../../src/catalogue/attributes.ts";
import { formatFor } from "../../src/web/request/format.ts";
import type { Language } from "../../src/words/i18n/languages.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { paths } from "../../src/words/urls.ts";
import { defaultVocabulary } from "../../src/words/vocabulary/live.ts";
import { Vocabulary } from "../../src/words/vocabulary/vocabulary.ts";

const demo = new Vocabulary([defaultVocabulary()]);
const wordsIn = (language: Language, vocabulary = demo.of("items")) => ({
  t: translate(language),
  format: formatFor(language),
  language,
  vocabulary,
  prefix: "",
  paths,
  owner: { kind: "items" as const, id: "one" },
});
const attributeRows = (attributes: Record<string, unknown>, language: Language = "en") =>
  rowsOf(attributes, wordsIn(language));

describe("attributes as lines of a table", () => {
  it.each([
    [{ top_speed_kmh: 140 }, "Top speed", "140\u00a0km/h"],
    [{ fuel_percent: 12.5 }, "Fuel", "12.5%"],
    [{ price: 1234567 }, "Price", "1,234,567"],
    [{ price: 4000 }, "Price", "4,000"],
    [{ built: 1974 }, "Built", "1974"],
    [{ built: -1974.5 }, "Built", "-1974.5"],
    [{ model: 20415 }, "Model", "20415"],
    [{ itemId: 1204155 }, "Item id", "1204155"],
    [{ phone_number: 5551234 }, "Phone number", "5551234"],
    [{ radius: -14.61456 }, "Radius", "-14.61456"],
    [{ kmh: 5 }, "Kmh", "5"],
    [{ items_s: 3 }, "Items", "3\u00a0s"],
  ])("show %j as a figure with its unit", (attributes, label, text) => {
    expect(attributeRows(attributes)).toEqual([{ label, text, level: 0, type: "number" }]);
  });

  it("shows the price first, figures before words, numbers of others, and the place last", () => {
    const plain = ["x", "y", "z", "interior", "city", "exit", "rooms", "garage", "model_id", "price"];
    const keys = [...plain, "colours"];
    const values: Record<string, unknown> = { city: "LS", exit: { x: 1 }, garage: true, colours: ["red"] };
    const rows = attributeRows(Object.fromEntries(keys.map((key) => [key, values[key] ?? 1])));
    const labels = rows.filter(({ level }) => level === 0).map(({ label }) => label);
    const first = ["Price", "Rooms", "City", "Colours", "Garage", "Exit", "Interior", "Model id"];
    expect(labels).toEqual([...first, "X", "Y", "Z"]);
  });
});

describe("attributes in a reader's language", () => {
  it("have their known names, units and numbers in Russian", () => {
    const rows = attributeRows({ top_speed_kmh: 197.5, price: 1234567, garage: true, fuel_percent: 5 }, "ru");
    expect(rows.map(({ label, text }) => [label, text])).toEqual([
      ["Цена", "1\u00a0234\u00a0567"],
      ["Максимальная скорость", "197,5\u00a0км/ч"],
      ["Fuel", "5\u00a0%"],
      ["Гараж", "да"],
    ]);
  });

  it("have coordinates as the game takes them", () => {
    const rows = attributeRows({ x: 2495.3, y: -1690.8, z: 14 }, "ru");
    expect(rows.map(({ text }) => text)).toEqual(["2495.3", "-1690.8", "14"]);
  });
});
