import { type Prose, renderProse } from "../words/text/prose.ts";
import { sortAttributes } from "./attribute-order.ts";
import { type AttributeWords, attributeLabel, isRichText } from "./attributes.ts";

/** A Markdown text of an entry in addition to its description. */
export interface RichText {
  readonly label: string;
  readonly description: Prose;
}

/** The attributes of an entry that are texts in Markdown, in the order of its page. */
export function richTexts(attributes: Record<string, unknown>, words: AttributeWords): RichText[] {
  return sortAttributes(attributes, words.vocabulary).flatMap(([key, value]) => {
    const prose = isRichText(key, value, words) ? renderProse(value) : undefined;
    return prose ? [{ label: attributeLabel(key, words, value), description: prose }] : [];
  });
}
