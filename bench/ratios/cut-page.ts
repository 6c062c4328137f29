import ejs from "ejs";

export interface Part {
  readonly markup: string;
  readonly text: string;
}

/**
 * A page as a template's loop sends it again, byte for byte: markup as it stands, and after it a text that the template
 * escapes. A text that would come out otherwise (entities of another spelling, scripts, styles) stays in the markup.
 */
export function cutPage(html: string): Part[] {
  const parts: Part[] = [];
  let markup = "";
  for (const [, tags = "", words = ""] of html.matchAll(/((?:<[^>]*>\s*)*)([^<]*)/g)) {
    const text = plain(words);
    markup += tags;
    if (text.trim() === "" || ejs.escapeXML(text) !== words) {
      markup += words;
      continue;
    }
    parts.push({ markup, text });
    markup = "";
  }
  parts.push({ markup, text: "" });
  return parts;
}

const SPELLINGS = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };

function plain(words: string): string {
  return words.replace(/&(?:lt|gt|#34|#39|amp);/g, (entity) => SPELLINGS[entity as keyof typeof SPELLINGS]);
}
