import { readdirSync, readFileSync } from "node:fs";
import { parse, wcagContrast } from "culori";
import { describe, expect, it } from "vitest";

const folder = new URL("../public/css/", import.meta.url);
const sheets = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);
const css = sheets.get("tokens.css") ?? "";

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

/** What shows where a control is, or that it has the focus: WCAG 2.2, 1.4.11. */
const controls = [
  ...pairs(["control", "focus", "accent"], GROUNDS),
  ...pairs(["control"], TINTS),
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
  const others = [...sheets].filter(([name]) => !["tokens.css", "print.css"].includes(name));

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
