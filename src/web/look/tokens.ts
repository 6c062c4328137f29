import { readFileSync } from "node:fs";
import path from "node:path";

/** A colour of the design in the light and the dark theme. */
export interface Token {
  readonly light: string;
  readonly dark: string;
}

const TOKENS = path.join(import.meta.dirname, "../../../public/css/web/tokens.css");

/**
 * A colour of the design from the style sheet of tokens.
 * @throws Error if the sheet has no colour of this name
 */
export function token(name: string): Token {
  const sheet = readFileSync(TOKENS, "utf8");
  const [, value] = new RegExp(`--${name}:\\s*([^;]+);`).exec(sheet) ?? [];
  if (value === undefined) throw new Error(`${TOKENS} has no --${name}`);
  const [, light, dark] = /^light-dark\(((?:[^(),]|\([^)]*\))+),\s*(.+)\)$/.exec(value) ?? [];
  return { light: light ?? value, dark: dark ?? value };
}
