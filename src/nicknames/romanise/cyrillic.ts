import type { CountryCode } from "../countries.ts";
import { type LetterTable, letterTable, spell } from "./letters.ts";

const shared = letterTable(
  "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch " +
    "ъ= ь= '= ’= ʼ=",
);

/** The spelling of English-language newspapers: Dmitry, Sergey, Solovyov. */
const russian = letterTable("ё=yo ы=y э=e ю=yu я=ya", shared);

const kazakh = letterTable("ә=a ғ=g қ=k ң=n ө=o ұ=u ү=u һ=h і=i", russian);

/** The rules of Ukrainian passports, https://zakon.rada.gov.ua/laws/show/55-2010-п; plus Belarusian letters. */
const ukrainian = letterTable("г=h ґ=g є=ie и=y і=i ї=i й=i ю=iu я=ia ў=u ё=io ы=y э=e", shared);

/** The Bulgarian law on transliteration: Hristo, Shtarbanov. */
const bulgarian = letterTable("х=h щ=sht ъ=a ю=yu я=ya", shared);

/** Serbian Latin without its marks, but Djordje rather than Dorde. */
const serbian = letterTable("ж=z х=h ц=c ч=c ш=s ђ=dj ћ=c љ=lj њ=nj џ=dz ј=j", shared);

type Rules = (word: string) => string;

/** Letters that only one language has; they take precedence over the country. */
const byLetter: [RegExp, Rules][] = [
  [/[әғқңөұүһ]/, (word) => romaniseRussian(word, kazakh)],
  [/[іїєґ]/, romaniseUkrainian],
  [/[ђћљњџј]/, (word) => spell(word, serbian)],
  [/[ёыэ]/, (word) => romaniseRussian(word, russian)],
];

const byCountry: Partial<Record<CountryCode, Rules>> = {
  ua: romaniseUkrainian,
  bg: (word) => spell(word, bulgarian),
  rs: (word) => spell(word, serbian),
  kz: (word) => romaniseRussian(word, kazakh),
};

/**
 * Romanises a name in lower-case Cyrillic letters, by the rules of the language that its letters identify, else by
 * the country's, else by the Russian ones.
 */
export function romaniseCyrillic(word: string, country: CountryCode): string {
  const rules = byLetter.find(([letters]) => letters.test(word))?.[1] ?? byCountry[country];
  return rules ? rules(word) : romaniseRussian(word, russian);
}

function romaniseRussian(word: string, letters: LetterTable): string {
  if (word === "юрий") return "yuri";
  const prepared = word
    .replace(/[иы]й$/, "y") // Dmitry, Bely
    .replace(/ия$/, "ia") // Maria, Yulia
    .replace(/(?<=[жчшщ])ё/g, "e") // Gorbachev
    .replace(/[ьъ](?=[еи])/g, "y"); // Vasilyev, Ilyich
  return spell(prepared, letters);
}

function romaniseUkrainian(word: string): string {
  const prepared = word
    .replace(/зг/g, "zgh")
    .replace(/ий$/, "y") // Zelensky, Chorny
    .replace(/^є/, "ye")
    .replace(/^ї/, "yi")
    .replace(/^й/, "y")
    .replace(/^ю/, "yu")
    .replace(/^я/, "ya");
  return spell(prepared, ukrainian);
}
