import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { LONGEST_KEY } from "../../src/catalogue/facets.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

type Pair = [string, string];

/** Vehicles with these attributes, two of each. */
function store(...held: Record<string, unknown>[]): Promise<void> {
  const records = [...held, ...held].map((attributes, index) => ({ id: `v${index}`, attributes }));
  return insertRecords(site.db, "vehicles", records);
}

/** A browser writes every line break of a form's names and values as CRLF. */
const formText = (text: string) => text.replace(/\r\n|\r|\n/g, "\r\n");

/** Sends a form as a browser does. */
function send(...pairs: Pair[]) {
  const sent = pairs.map((pair) => pair.map(formText) as Pair);
  return request(site.app).get(`/vehicles?${new URLSearchParams(sent)}`);
}

const pairsOf = (tags: string[]) =>
  tags.map((tag): Pair => [attributes(tag, "name")[0] ?? "", attributes(tag, "value")[0] ?? ""]);

const boxesIn = (page: string) => pairsOf(page.match(/<input type="checkbox"[^>]* name="a\.[^>]*>/g) ?? []);

const chipsIn = (page: string) =>
  pairsOf(page.match(/<button class="chip"[^>]* name="without"[^>]*>/g) ?? []);

/** The orders by figures. */
const sortsIn = (page: string) =>
  (page.match(/<option value="-?a\.[^"]*"/g) ?? []).map(
    (tag): Pair => ["sort", attributes(tag, "value")[0] ?? ""],
  );

/** Chooses all that the list offers, one after the other, and takes it away again; what was offered. */
async function chooseAll(): Promise<{ boxes: Pair[]; sorts: Pair[] }> {
  const { text } = await send().expect(200);
  const [boxes, sorts] = [boxesIn(text), sortsIn(text)];
  for (const sort of sorts) {
    const { text: sorted } = await send(sort).expect(200);
    const chosen = /<option value="([^"]*)" selected>/.exec(sorted)?.[0] ?? "";
    expect(attributes(chosen, "value")).toEqual([sort[1]]);
  }
  for (const box of boxes) {
    const { text: filtered } = await send(box).expect(200);
    const [chip, ...others] = chipsIn(filtered);
    expect(others).toEqual([]);
    await send(box, chip ?? ["without", ""])
      .expect(303)
      .expect("Location", "/vehicles");
  }
  return { boxes, sorts };
}

describe("a list offers filters and orders that can be chosen", () => {
  it.each([LONGEST_KEY + 1, 400, 2_000])("but not for a key of %d characters", async (length) => {
    const [figure, text] = ["f".repeat(LONGEST_KEY), "t".repeat(LONGEST_KEY)];
    const [longFigure, longText] = ["g".repeat(length), "u".repeat(length)];
    await store(
      { [figure]: 1.5, [text]: "a", [longFigure]: 1.5, [longText]: "a" },
      { [figure]: 2.5, [text]: "b", [longFigure]: 2.5, [longText]: "b" },
    );
    const { boxes, sorts } = await chooseAll();
    expect(boxes.map(([name]) => name)).toEqual([`a.${text}`, `a.${text}`]);
    expect(sorts.map(([, sort]) => sort)).toEqual([`-a.${figure}`, `a.${figure}`]);
    const heads = elements((await send()).text, "th").map((head) => textOf(head).toLowerCase());
    expect(heads.filter((head) => head.length >= LONGEST_KEY).sort()).toEqual([figure, text]);
  });

  it.each(["=", "%"])("for the longest key of %s only, with the longest value", async (sign) => {
    const key = sign.repeat(LONGEST_KEY);
    await store({ [key]: "v".repeat(60) }, { [key]: "=" });
    const { boxes } = await chooseAll();
    expect(boxes).toHaveLength(2);
  });

  it.each([" ", "\u00a0", "\u3000 ", "\u200b", "\ufeff"])("but not for a blank one: %j", async (blank) => {
    const [one, two] = [
      { [blank]: "a", figure: 1.5 },
      { [blank]: "b", figure: 2.5 },
    ];
    await store({ text: blank, ...one }, { text: "a", ...two }, { text: "b" });
    const { boxes, sorts } = await chooseAll();
    expect(boxes.map(([name, value]) => `${name}=${value}`)).toEqual(["a.text=a", "a.text=b"]);
    expect(sorts).toHaveLength(2);
  });

  it.each(["\n", "\r", "\r\n", "\t", "\u0001", "\u0085"])(
    "but not with a control character: %j",
    async (sign) => {
      const [figure, text] = [`fig${sign}ure`, `te${sign}xt`];
      const [one, two] = [
        { [figure]: 1.5, [text]: "a" },
        { [figure]: 2.5, [text]: "b" },
      ];
      await store({ text: `a${sign}b`, ...one }, { text: "a", ...two }, { text: "b" });
      const { boxes, sorts } = await chooseAll();
      expect(boxes.map(([name, value]) => `${name}=${value}`)).toEqual(["a.text=a", "a.text=b"]);
      expect(sorts).toEqual([]);
      await send(["a.text", `a${sign}b`]).expect(400);
    },
  );

  it("with their spaces, if they have letters too", async () => {
    await store({ text: " t", " key": 1.5 }, { text: "t ", " key": 2.5 }, { text: "t" });
    const { boxes, sorts } = await chooseAll();
    expect(boxes.map(([, value]) => value).sort()).toEqual([" t", "t", "t "]);
    expect(sorts.map(([, sort]) => sort)).toEqual(["-a. key", "a. key"]);
  });
});

describe("a chip", () => {
  it.each([
    { key: "y=z", "key=y": "z" },
    { key: "==", "key=": "=" },
    { "key=y": "z", "key%3Dy": "z", "key%253Dy": "z" },
  ])("removes its own value if another key and value look the same: %j", async (held) => {
    await store(held, {});
    const filters = Object.entries(held).map(([key, value]): Pair => [`a.${key}`, value]);
    const { text } = await send(...filters).expect(200);
    const left: Pair[][] = [];
    for (const chip of chipsIn(text)) {
      const { headers } = await send(...filters, chip).expect(303);
      left.push([...new URLSearchParams(headers.location?.split("?")[1])].sort());
    }
    const others = filters.map((filter) => filters.filter((other) => other !== filter).sort());
    expect(left).toHaveLength(filters.length);
    expect(left).toEqual(expect.arrayContaining(others));
  });
});
