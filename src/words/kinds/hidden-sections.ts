/**
 * What operators can switch off in addition to the kinds; without the shop there are no discounts either.
 */
export const OTHER_SECTIONS = ["nicknames", "shop", "discounts", "map"] as const;

let hidden: ReadonlySet<string> = new Set();

/** Switches sections of the site off in this process, in place of those before. Once, before anything is made of them. */
export function setHiddenSections(sections: readonly string[]): void {
  hidden = new Set(sections.includes("shop") ? [...sections, "discounts"] : sections);
}

/** Whether a kind or another section is switched off: the site has no page, feed, endpoint or link of it. */
export function isHidden(section: string): boolean {
  return hidden.has(section);
}

export function hiddenSections(): readonly string[] {
  return [...hidden].sort();
}
