import type { Translate } from "../../src/i18n/translate.ts";

export const text: Translate;
