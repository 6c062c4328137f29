import { readdirSync, readFileSync } from "node:fs";
import {
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  wcagContrast,
} from "culori";
import { describe, expect, it } from "vitest";

const folder = new URL("../../public/css/", import.meta.url);
const sheets = new Map(
  readdirSync(folder, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".css"))
    .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);
const css = sheets.get("web/tokens.css") ?? "";

/** `[by day, by night]` of every token that is a colour. */
const colours = new Map(
  [...css.matchAll(/^ {2}--([\w-]+): ([^;]+);$/gm)].flatMap(([, name = "", value = ""]) => {
    const [, day = value, night = value] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? [];
    return parse(day) && parse(night) ? [[name, [day, night] as const] as const] : [];
  }),
);

const GROUNDS = ["paper", "surface", "sunken"];
const TINTS = ["success-tint", "warning-tint", "danger-tint", "info-tint"];
const TEXTS = [
  ...["ink", "muted", "link", "accent", "success", "warning", "danger", "info"],
  ...["items", "vehicles", "scripts", "houses", "businesses"],
];

/** What stands on what as text: WCAG 2.2, 1.4.3. */
const texts = [
  ...pairs(TEXTS, GROUNDS),
  ...pairs(["ink", "muted", "link"], TINTS),
  ...["success", "warning", "danger", "info"].map((tone) => [tone, `${tone}-tint`] as const),
  ...pairs(["band-ink", "band-muted"], ["band", "band-raised"]),
  ["on-accent", "accent"] as const,
  ["on-band-accent", "band-accent"] as const,
  ["paper", "ink"] as const,
];

/** The colours of prices on maps, cheapest first, and what they lie on. */
const PRICES = ["price-1", "price-2", "price-3", "price-4"];
const LANDS = ["land", "dry", "wood", "hill", "town"].map((name) => `map-${name}`);

/** What shows where a control is, or that it has the focus: WCAG 2.2, 1.4.11. */
const controls = [
  ...pairs(["control", "focus", "accent"], GROUNDS),
  ...pairs(["control"], TINTS),
  ...pairs(PRICES, [...LANDS, ...GROUNDS]),
  ...pairs(["band-focus", "band-muted", "band-accent"], ["band", "band-raised"]),
];

describe.each([
  ["by day", 0],
  ["by night", 1],
] as const)("the colours %s", (_, time) => {
  it.each(texts)("shows text in --%s on --%s at 4.5:1", (text, ground) => {
    expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(controls)("shows a control in --%s on --%s at 3:1", (control, ground) => {
    expect(contrast(control, ground)).toBeGreaterThanOrEqual(3);
  });

  // How much two colours next to each other differ for who sees all colours, no red, no green or no blue.
  it.each([
    ["all colours", undefined],
    ["no red", filterDeficiencyProt(1)],
    ["no green", filterDeficiencyDeuter(1)],
    ["no blue", filterDeficiencyTrit(1)],
  ] as const)("tells price steps apart for who sees %s", (_name, filter) => {
    const colours = PRICES.flatMap((name) => parse(colour(name)) ?? []);
    const seen = filter ? colours.map((one) => filter(one)) : colours;
    const steps = seen.slice(1).map((next, index) => differenceCiede2000()(seen[index] ?? next, next));
    expect(steps).toHaveLength(PRICES.length - 1);
    for (const step of steps) expect(step).toBeGreaterThan(12);
  });

  function contrast(one: string, other: string): number {
    return wcagContrast(colour(one), colour(other));
  }

  function colour(name: string): string {
    const found = colours.get(name);
    if (!found) throw new Error(`no colour is called --${name}`);
    return found[time];
  }
});

describe("the style sheets", () => {
  // Ink on paper is no matter of the theme.
  const others = [...sheets].filter(([name]) => !["web/tokens.css", "web/print.css"].includes(name));

  const known = new Set(
    [...sheets.values()].flatMap((sheet) => [...sheet.matchAll(/--([\w-]+):/g)].map(([, name]) => name)),
  );

  it.each(others)("have no colours of their own: %s", (_, sheet) => {
    const rules = sheet.replace(/\/\*.*?\*\//gs, "");
    expect(rules.match(/#[\da-f]{3,8}\b(?![^{};]*\{)|\b(?:rgb|hsl|oklch|oklab)a?\(/gi) ?? []).toEqual([]);
  });

  it.each(others)("use tokens that there are: %s", (_, sheet) => {
    const unknown = [...sheet.matchAll(/var\(--([\w-]+)\)/g)].filter(([, name = ""]) => !known.has(name));
    expect(unknown.map(([use]) => use)).toEqual([]);
  });
});

function pairs(fronts: string[], grounds: string[]): (readonly [string, string])[] {
  return fronts.flatMap((front) => grounds.map((ground) => [front, ground] as const));
}
