/** Endings and what replaces them, tried in order until none fits; a stem keeps three letters. */
type Endings = readonly (readonly [ending: RegExp, left: string])[];

const ENGLISH: Endings = [
  [/(?<=..)our$/, "or"], // British armour, American armor
  [/(?<=..[^isu])s$/, ""], // sword|s; not glass, bus, tennis
  [/(?<=...)(?<=[oxz]|[cs]h|ss|[^aeiou][iu]s)e$/, ""], // hero|e-s, ax|e, watch|e-s, virus|e-s, promis|e
  [/(?<=..)(?:ie|(?<=[^aeiou])y)$/, "i"], // batteri|e-s and batter|y, zombi|e
];

/**
 * Endings of Russian and Ukrainian nouns and adjectives, and the ся of participles; longer endings go step by step:
 * ам|и.
 */
const RUSSIAN: Endings = [
  [/(?<=...)(?:ся|[ео]го|[аеиоыяі]м|[аиыяі]х|[еоі]в|[аеиоуыьюяйіє])$/, ""],
  [/(?<=..[бвгджзклмнпрстфхцчшщ])[ео](?=[кц]$)/, ""], // винтов|о|к, пуш|е|к, кон|е|ц
];

/** Games number what they have in every way: Scroll of Spirit VI, Five of Beasts, Level 3. */
const NUMBERS = new Map([
  ...Array.from({ length: 39 }, (_, n): [string, string] => [romanOf(n + 1), String(n + 1)]),
  ..."one two three four five six seven eight nine ten"
    .split(" ")
    .map((word, n): [string, string] => [word, String(n + 1)]),
]);

function romanOf(number: number): string {
  const ones = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
  return "x".repeat(Math.floor(number / 10)) + ones[number % 10];
}

/** Shorter words have no ending to remove; longer ones are not worth the time. */
const ENGLISH_WORD = /^[a-z]{4,40}$/;
const RUSSIAN_WORD = /^[а-яіїєґў]{4,40}$/;

/**
 * A normalised word without its inflection: the number of English nouns; case, number and gender of Russian and
 * Ukrainian nouns and adjectives. Roman numerals up to xxxix and the first English numbers become digits. All forms of a word should get the same stem, right or not: stems are only compared.
 * Idempotent. Other words stay as they are.
 */
export function stem(word: string): string {
  const number = NUMBERS.get(word);
  if (number !== undefined) return number;
  if (ENGLISH_WORD.test(word)) return withoutEndings(word, ENGLISH);
  return RUSSIAN_WORD.test(word) ? withoutEndings(word, RUSSIAN) : word;
}

function withoutEndings(word: string, endings: Endings): string {
  const found = endings.find(([ending]) => ending.test(word));
  return found ? withoutEndings(word.replace(...found), endings) : word;
}
