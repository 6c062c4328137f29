/** How the servers' scripts write: in the page's language. src/servers/locale-words.ts says the same to the server. */
import type { Words } from "../../../src/servers/words.ts";
import { text } from "../web/texts.ts";

const language = document.documentElement.lang;
const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);

export const words: Words = { t: text, number: (count) => numbers.format(count), locale };
