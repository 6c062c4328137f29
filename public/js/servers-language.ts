/** How the servers' scripts write: in the page's language. src/servers/locale-words.ts says the same to the server. */
import type { Words } from "../../src/servers/words.ts";
import { text } from "./texts.ts";

declare global {
  interface Window {
    /** Of times.js. */
    readonly viewerTimes: {
      /** As Intl takes it, and as it is called today. */
      readonly zone: string;
      readonly zoneName: string;
      offsetText(date: Date): string;
      timeText(date: Date): string;
      turnTimes(root: ParentNode): void;
    };
  }
}

const language = document.documentElement.lang;
const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);

export const words: Words = { t: text, number: (count) => numbers.format(count), locale };
