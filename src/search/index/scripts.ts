/** Scripts by their letters' code units, and how many letters a word of theirs is made of. */
export const SCRIPTS = [
  { name: "latin", letters: 26 },
  { name: "cyrillic", letters: 32 },
  { name: "other", letters: 60 },
  // Not a script of words but of what they sound like: fewer letters, some far more frequent than others.
  { name: "sound", letters: 12 },
] as const;

/** The place in SCRIPTS of what words sound like. */
export const SOUND = 3;

/** The place in SCRIPTS of a letter's script; digits count as Latin. */
export function scriptOf(letter: number): number {
  if (letter < 0x250) return 0;
  return letter >= 0x400 && letter < 0x530 ? 1 : 2;
}
