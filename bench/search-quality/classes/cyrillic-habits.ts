/** Two ways in which people write an English name in Cyrillic letters. */
export interface CyrillicHabit {
  name: string;
  /** Tried in this order at each place; the first one that fits is taken. */
  rules: readonly [spelling: RegExp, cyrillic: string][];
}

const LETTERS = rules([
  ["a", "а"],
  ["b", "б"],
  ["c", "к"],
  ["d", "д"],
  ["e", "е"],
  ["f", "ф"],
  ["g", "г"],
  ["h", "х"],
  ["i", "и"],
  ["j", "дж"],
  ["k", "к"],
  ["l", "л"],
  ["m", "м"],
  ["n", "н"],
  ["o", "о"],
  ["p", "п"],
  ["q", "к"],
  ["r", "р"],
  ["s", "с"],
  ["t", "т"],
  ["u", "у"],
  ["v", "в"],
  ["w", "в"],
  ["x", "кс"],
  ["y", "и"],
  ["z", "з"],
]);

const SOUNDS = rules([
  ["tion\\b", "шн"],
  ["tch", "ч"],
  ["igh", "ай"],
  ["sch", "ш"],
  ["sh", "ш"],
  ["ch", "ч"],
  ["th", "т"],
  ["ph", "ф"],
  ["ck", "к"],
  ["qu", "кв"],
  ["wh", "в"],
  ["\\bkn", "н"],
  ["\\bwr", "р"],
  ["ee|ea", "и"],
  ["oo|ou", "у"],
  ["ow\\b", "оу"],
  ["ay|ai", "ей"],
  ["ey\\b|y\\b", "и"],
  ["\\by", "й"],
  ["c(?=[eiy])", "с"],
  ["g(?=[eiy])", "дж"],
  ["([bdfgklmnprstz])(?=\\1)", ""],
  ["a(?=[bdfgklmnprstvz]e\\b)", "ей"],
  ["i(?=[bdfgklmnprstvz]e\\b)", "ай"],
  ["u(?=[bdfgklmnprstvz]e\\b)", "ю"],
  ["(?<=[a-z]{2})e\\b", ""],
  ["\\be", "э"],
]);

export const CYRILLIC_HABITS: readonly CyrillicHabit[] = [
  { name: "letter by letter", rules: LETTERS },
  { name: "by sound", rules: [...SOUNDS, ...LETTERS] },
];

/** Writes Latin text in lower-case Cyrillic letters. */
export function toCyrillic(text: string, habit: CyrillicHabit): string {
  const latin = text.toLowerCase();
  let cyrillic = "";
  for (let place = 0; place < latin.length; ) {
    const [length, written] = ruleAt(latin, place, habit);
    cyrillic += written;
    place += length;
  }
  return cyrillic;
}

/** How many Latin letters are read, and what is written for them. */
function ruleAt(latin: string, place: number, { rules }: CyrillicHabit): [length: number, written: string] {
  for (const [spelling, written] of rules) {
    spelling.lastIndex = place;
    const found = spelling.exec(latin);
    if (found) return [found[0].length, written];
  }
  return [1, latin.charAt(place)];
}

function rules(list: readonly [spelling: string, cyrillic: string][]): [RegExp, string][] {
  return list.map(([spelling, cyrillic]) => [new RegExp(spelling, "y"), cyrillic]);
}
