import type { Translate } from "../i18n/translator.ts";

/** How one language is written: its texts, its numbers (`12,345`), and what Intl calls it. Scripts have one too. */
export interface Words {
  t: Translate;
  number(count: number): string;
  locale: string;
}
