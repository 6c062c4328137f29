import type { Translate } from "../../src/i18n/translator.ts";

export function leftText(t: Translate, ms: number): string;
export function endText(t: Translate, ms: number): string;
export function startText(t: Translate, ms: number): string;
export function exactLengthText(t: Translate, ms: number): string;
