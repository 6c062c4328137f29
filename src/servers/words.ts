import type { Say } from "../i18n/translator.ts";

/** How one language is written by server and browser alike: texts of scripts, numbers (`12,345`), its name for Intl. */
export interface Words {
  t: Say;
  number(count: number): string;
  locale: string;
}
