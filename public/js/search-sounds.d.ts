/** Letters, and for each where the one of a text that it comes from begins and ends. */
export interface PlacedLetters {
  letters: string;
  starts: number[];
  ends: number[];
}

/** What normalised letters sound like, coarsely: the same for a word and its usual spelling in another alphabet. */
export function soundsOf(placed: PlacedLetters): PlacedLetters;
