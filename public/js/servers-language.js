/** How the servers' scripts write: in the page's language. src/servers/locale-words.ts says the same to the server. */
import { text } from "./texts.js";

const language = document.documentElement.lang;
const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);

export const words = { t: text, number: (count) => numbers.format(count), locale };
