/**
 * The one of some language tags that serves best who wants a language: the same tag, or what is left of the wanted one
 * when its end is cut off step by step (RFC 4647, section 3.4), and at each step also the first that goes on where it
 * was cut. `pt-BR` is answered by `pt-BR`, else by `pt`, else by `pt-PT`; `pt` by `pt`, else by `pt-BR`.
 * @returns the tag as it is spelt among `tags`; upper and lower case count as one
 */
export function nearestTag(wanted: string, tags: readonly string[]): string | undefined {
  const sorted = [...tags].sort();
  for (const range of rangesOf(wanted.toLowerCase())) {
    const same = sorted.find((tag) => tag.toLowerCase() === range);
    const found = same ?? sorted.find((tag) => tag.toLowerCase().startsWith(`${range}-`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A tag, and what is left of it at each step: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function rangesOf(tag: string): string[] {
  const parts = tag.split("-");
  return parts.map((_, cut) => parts.slice(0, parts.length - cut).join("-"));
}
