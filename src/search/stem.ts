/** Endings and what is left of them, tried in this order until no more goes; a stem keeps three letters. */
type Endings = readonly (readonly [ending: RegExp, left: string])[];

const ENGLISH: Endings = [
  [/(?<=..[^isu])s$/, ""], // sword|s; not glass, bus, tennis
  [/(?<=...)(?<=[oxz]|[cs]h|ss|[^aeiou][iu]s)e$/, ""], // hero|e-s, ax|e, watch|e-s, virus|e-s, promis|e
  [/(?<=..)(?:ie|(?<=[^aeiou])y)$/, "i"], // batteri|e-s and batter|y, zombi|e
];

/** Of Russian and Ukrainian nouns and adjectives, and the ся of participles; longer ones go step by step: ам|и. */
const RUSSIAN: Endings = [
  [/(?<=...)(?:ся|[ео]го|[аеиоыяі]м|[аиыяі]х|[еоі]в|[аеиоуыьюяйіє])$/, ""],
  [/(?<=..[бвгджзклмнпрстфхцчшщ])[ео](?=[кц]$)/, ""], // винтов|о|к, пуш|е|к, кон|е|ц
];

/** Nothing is shorter or longer that has an ending worth the time. */
const ENGLISH_WORD = /^[a-z]{4,40}$/;
const RUSSIAN_WORD = /^[а-яіїєґў]{4,40}$/;

/**
 * A normalised word without its inflected ending: the number of an English noun, case, number and gender of a Russian
 * or Ukrainian noun or adjective. Coarse on purpose, and rather the same for all forms of a word than right for one:
 * stems are compared with stems and never shown. Idempotent. Words of other alphabets or with digits stay as they are.
 */
export function stem(word: string): string {
  if (ENGLISH_WORD.test(word)) return withoutEndings(word, ENGLISH);
  return RUSSIAN_WORD.test(word) ? withoutEndings(word, RUSSIAN) : word;
}

function withoutEndings(word: string, endings: Endings): string {
  const found = endings.find(([ending]) => ending.test(word));
  return found ? withoutEndings(word.replace(...found), endings) : word;
}
