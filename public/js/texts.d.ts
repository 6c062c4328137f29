import type { Translate } from "../../src/i18n/translator.ts";

export const text: Translate;
