/**
 * What a text typed with the wrong keyboard layout on was meant to be: Latin letters as the same keys give Cyrillic
 * ones (Russian, then Ukrainian where that differs), and Cyrillic as Latin. Takes the text as typed, for half of the
 * punctuation keys are letters on the other side; keeps case and what no key types. In text of both alphabets the words
 * of either are taken for the mistaken ones in turn.
 *
 * Likeliest first; never `text` itself; none where no key changes into a letter.
 */
export function otherLayouts(text: string): string[];
