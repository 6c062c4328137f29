/**
 * The best tag for a wanted language: the same tag, else the wanted one cut off step by step (RFC 4647, section 3.4).
 * Each step also tries a longer tag. So `pt-BR` finds `pt-BR`, else `pt`, else `pt-PT`; `pt` finds `pt-BR`.
 * @returns the tag as spelled in `tags`; case does not matter
 */
export function nearestTag(wanted: string, tags: readonly string[]): string | undefined {
  const sorted = [...tags].sort();
  for (const range of listRanges(wanted.toLowerCase())) {
    const same = sorted.find((tag) => tag.toLowerCase() === range);
    const found = same ?? sorted.find((tag) => tag.toLowerCase().startsWith(`${range}-`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A tag and its shortened forms: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function listRanges(tag: string): string[] {
  const parts = tag.split("-");
  return parts.map((_, cut) => parts.slice(0, parts.length - cut).join("-"));
}
