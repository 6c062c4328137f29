import type { Say } from "../words/i18n/translator.ts";

/** One language for server and browser: texts of scripts, numbers (`12,345`), its name for Intl. */
export interface Words {
  t: Say;
  number(count: number): string;
  locale: string;
}
