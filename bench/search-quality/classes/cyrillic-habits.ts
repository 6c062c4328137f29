import type { Random } from "../random.ts";

/**
 * A habit of writing an English name in Cyrillic letters: rules that are tried in this order at each place; the first one
 * that fits is taken. One of several spellings with | is drawn.
 */
export type CyrillicHabit = readonly [spelling: RegExp, cyrillic: string][];

const LETTERS = rules(`
  a а ;; b б ;; c к ;; d д ;; e е ;; f ф ;; g г ;; h х ;; i и ;; j дж ;; k к ;; l л ;; m м ;; n н ;; o о ;;
  p п ;; q к ;; r р ;; s с ;; t т ;; u у ;; v в ;; w в ;; x кс ;; y и ;; z з
`);

const SOUNDS = rules(String.raw`
  tion\b шн ;; tch ч ;; igh ай ;; sch ш ;; sh ш ;; ch ч ;; th т ;; ph ф ;; ck к ;; qu кв ;; wh в ;; \bkn н ;;
  \bwr р ;; ee|ea и ;; oo|ou у ;; ow\b оу ;; ay|ai ей ;; ey\b|y\b и ;; \by й ;; c(?=[eiy]) с ;;
  g(?=[eiy]) дж ;; ([bdfgklmnprstz])(?=\1) ;; a(?=[bdfgklmnprstvz]e\b) ей ;; i(?=[bdfgklmnprstvz]e\b) ай ;;
  u(?=[bdfgklmnprstvz]e\b) ю ;; (?<=[a-z]{2})e\b ;; \be э
`);

/** What a Russian ear makes of English, which differs from one speaker to the next. */
const BY_EAR = rules(String.raw`
  tion\b шн|шен|тион ;; sion\b жн|жен|шен ;; ture\b чер|тур ;; dge\b дж ;; tch ч|тч ;; igh ай ;; eigh ей ;;
  augh|ough оф|о ;; sch ш|ск ;; sh ш ;; ch ч ;; \bthe\b зе| ;; th т|з|с ;; ph ф ;; ck к ;; qu кв|ку ;;
  wh в|у ;; \bkn н|кн ;; \bwr р|вр ;; mb\b м|мб ;; ee и ;; ea и|еа ;; oo у ;; ou ау|у ;; ow\b оу|ау|ов ;;
  aw|au о|ау ;; ay|ai ей|эй|ай ;; oy|oi ой ;; ey\b|y\b|ie\b и|ей ;; \by й|и ;; c(?=[eiy]) с|ц ;;
  g(?=[eiy]) дж|г ;; ([bdfgklmnprstz])(?=\1) |$1 ;; le\b л ;; er\b ер|эр ;;
  a(?=[bdfgklmnprstvz]e\b) ей|эй|а ;; i(?=[bdfgklmnprstvz]e\b) ай|и ;; u(?=[bdfgklmnprstvz]e\b) ю|у ;;
  (?<=[a-z]{2})es\b с|ес|з ;; (?<=[a-z]{2})ed\b ед|д ;; (?<=[a-z]{2})e\b |е ;; \be э|е ;; a а|а|э ;;
  h х|х|г ;; w в|у ;; ju джу ;; j дж|ж ;; z з ;; u у|а ;; x кс
`);

/** Letter by letter, and by sound. */
export const CYRILLIC_HABITS: readonly CyrillicHabit[] = [LETTERS, [...SOUNDS, ...LETTERS]];

export const CYRILLIC_BY_EAR: CyrillicHabit = [...BY_EAR, ...LETTERS];

/** Writes Latin text in lower-case Cyrillic letters. */
export function toCyrillic(text: string, habit: CyrillicHabit, random: Random): string {
  const latin = text.toLowerCase();
  let cyrillic = "";
  for (let place = 0; place < latin.length; ) {
    const [length, spellings] = readAt(latin, place, habit);
    const written = random.pick(spellings.split("|"));
    cyrillic += written === "$1" ? toCyrillic(latin.charAt(place), habit, random) : written;
    place += length;
  }
  return cyrillic;
}

/** How many Latin letters are read, and what is written for them. */
function readAt(latin: string, place: number, habit: CyrillicHabit): [length: number, written: string] {
  for (const [spelling, written] of habit) {
    spelling.lastIndex = place;
    const found = spelling.exec(latin);
    if (found) return [found[0].length, written];
  }
  return [1, latin.charAt(place)];
}

/** A list of spellings, each with what is written for it. */
function rules(list: string): [RegExp, string][] {
  return list.split(";;").map((rule) => {
    const [spelling = "", cyrillic = ""] = rule.trim().split(" ");
    return [new RegExp(spelling, "y"), cyrillic];
  });
}
