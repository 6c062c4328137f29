/**
 * The consonants of an English word and of its Russian transcription: vowels differ from one speaker to the next,
 * consonants hardly do. thunder is сандер, тандер or сандэр.
 */

import { initialsOf } from "./letters.ts";

/** What a word sounds like: its consonants, in capitals, and the vowels before each of them and after the last. */
interface Skeleton {
  readonly consonants: string;
  readonly vowels: readonly string[];
}

/** How the letters of an alphabet sound. */
interface Alphabet {
  /** What sounds otherwise than its letters one by one, in order. */
  readonly spellings: readonly (readonly [spelling: RegExp, sound: string])[];
  /** The consonants, and the sound of each. */
  readonly letters: ReadonlyMap<string, string>;
}

/** G is also j and дж, S also z, ц and soft c, Q ч, W ш, X th. */
const LATIN: Alphabet = {
  letters: lettersOf("bcdfghjklmnpqrstvz", "BKDFGHGKLMNPKRSTVS"),
  spellings: [
    [/^[kg]n/, "N"],
    [/^wr/, "R"],
    [/^ps/, "S"],
    [/mb$/, "M"],
    [/(?<=[aeiou])gh/g, ""],
    [/[ts]ion|cian/g, "WeN"],
    [/ture/g, "QeR"],
    [/tch/g, "Q"],
    [/sh/g, "W"],
    [/ch(?=[rl])/g, "K"],
    [/ch/g, "Q"],
    [/ph/g, "F"],
    [/th/g, "X"],
    [/c(?=[eiy])/g, "S"],
    [/ck/g, "K"],
    [/dg(?=e)/g, "G"],
    [/qu/g, "KV"],
    [/x/g, "KS"],
    [/wh|w(?=[aeiouy])/g, "V"],
    [/w/g, "u"],
  ],
};

const CYRILLIC: Alphabet = {
  letters: lettersOf("бвгджзклмнпрстфхцчшщ", "BVGDGSKLMNPRSTFHSQWW"),
  spellings: [
    [/[ьъ]/g, ""],
    [/дж/g, "G"],
    [/тч/g, "Q"],
    [/у(?=[аеиоыэюя])/g, "V"],
  ],
};

/** The English vowels that each Russian one stands for. */
const HEARD: Readonly<Record<string, string>> = {
  а: "auo",
  е: "eai",
  є: "eai",
  и: "iey",
  і: "iey",
  й: "iey",
  о: "oau",
  у: "uo",
  ы: "iy",
  э: "ea",
  ю: "ue",
  я: "aiy",
};

const LATIN_WORD = /^[a-z]{2,40}$/;
const CYRILLIC_WORD = /^[а-яіє]{2,40}$/;

const LETTER = /[a-zа-я]/g;
const CONSONANT = /[A-Z]/;
const VOWELS = /[^A-Z]/g;
/** Not the softened г of дж, nor that of a final -инг. */
const G = /г(?=[аеиоуыэюя])/g;
const DOUBLED = /([A-Z])\1+/g;

/**
 * The keys of a Latin word: th is heard as т or as с. That of a Korean word is what it is abbreviated by. None for words of
 * other letters, and of vowels alone.
 */
export function consonantKeys(word: string): string[] {
  if (!LATIN_WORD.test(word)) return [initialsOf(word)].filter((key) => key !== "");
  const { consonants } = skeletonOf(word, LATIN);
  if (consonants === "") return [];
  return consonants.includes("X")
    ? [consonants.replaceAll("X", "T"), consonants.replaceAll("X", "S")]
    : [consonants];
}

/** The keys of the words that a Cyrillic one may be, as somebody heard them; г is also h. None for other letters. */
export function heardConsonants(word: string): string[] {
  if (!CYRILLIC_WORD.test(word)) return [];
  const words = new Set([word, word.replaceAll(G, "х")]);
  return [...words].map((each) => skeletonOf(each, CYRILLIC).consonants).filter((key) => key !== "");
}

/** At how many places the vowels of a Cyrillic word and a Latin one differ that have the same consonants. */
export function vowelsApart(cyrillic: string, latin: string): number {
  const { vowels: heard } = skeletonOf(cyrillic, CYRILLIC);
  const { vowels: spelled } = skeletonOf(latin, LATIN);
  return heard.filter((vowels, at) => !areAlike(vowels, spelled[at] ?? "")).length;
}

function areAlike(heard: string, spelled: string): boolean {
  // An e that is not heard.
  if (heard === "") return spelled === "" || spelled === "e";
  return [...heard].some((vowel) => [...(HEARD[vowel] ?? "")].some((letter) => spelled.includes(letter)));
}

function skeletonOf(word: string, { spellings, letters }: Alphabet): Skeleton {
  const sounds = spellings
    .reduce((text, [spelling, sound]) => text.replace(spelling, sound), word)
    .replace(LETTER, (letter) => letters.get(letter) ?? letter)
    .replace(DOUBLED, "$1");
  return { consonants: sounds.replace(VOWELS, ""), vowels: sounds.split(CONSONANT) };
}

function lettersOf(letters: string, sounds: string): Map<string, string> {
  return new Map([...letters].map((letter, at) => [letter, sounds.charAt(at)]));
}
