export function leftText(ms: number): string;
export function endText(ms: number): string;
export function startText(ms: number): string;
export function exactLengthText(ms: number): string;
