/** Letters that Unicode does not take apart, as those who cannot type them write them. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ŋ: "n",
  ħ: "h",
  ŧ: "t",
  ĸ: "k",
  ƒ: "f",
  ς: "σ",
};

const TO_CHANGE = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** Lower-case text with its ligatures and crossed letters as plain ones. */
export function plainLetters(text: string): string {
  return text.replace(TO_CHANGE, (letter) => PLAIN[letter] ?? letter);
}
