export const UNSEEN: RegExp;
export const ACCENTS: RegExp;
export const PLAIN: Readonly<Record<string, string>>;
