import type * as transliteration from "transliteration";
import { lazyPackage } from "../settings/lazy-package.ts";
import type { CountryCode } from "./countries.ts";

/** Letter to its replacement. */
type LetterTable = ReadonlyMap<string, string>;

/** Reads a table written as `а=a ж=zh ь=`: a letter and its replacement, which may be empty. */
function letterTable(text: string, base: LetterTable = new Map()): LetterTable {
  const entries = text.split(" ").map((entry): [string, string] => {
    const [letter = "", latin = ""] = entry.split("=");
    return [letter, latin];
  });
  return new Map([...base, ...entries]);
}

/** Replaces each letter by its entry in the table; letters without one stay. */
function spell(word: string, table: LetterTable): string {
  return Array.from(word, (letter) => table.get(letter) ?? letter).join("");
}

const loadTransliteration = lazyPackage<typeof transliteration>("transliteration");

/** Runs of one script, with the rules for a run; the library's tables are meant for titles and misspell names. */
const scripts: [RegExp, (run: string, country: CountryCode) => string][] = [
  [/[\p{Script=Cyrillic}'’ʼ]*\p{Script=Cyrillic}['’ʼ]?/gu, romaniseCyrillic],
  [/\p{Script=Greek}+/gu, romaniseGreek],
  [/\p{Script=Georgian}+/gu, (word) => spell(word, georgian)],
  [/\p{Script=Armenian}+/gu, romaniseArmenian],
  [/\p{Script=Hangul}+/gu, romaniseHangul],
  [/[\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu, romaniseKana],
  [/\p{Script=Devanagari}+/gu, romaniseDevanagari],
];

/**
 * Romanises a name in any script to lower-case a-z; unreadable characters stay. The country decides between
 * languages of one script: Гайдамака is Gaydamaka in Russia and Haidamaka in Ukraine.
 */
export function romanise(name: string, country: CountryCode): string {
  const family = country === "jp" ? japaneseFamilies.get(name) : undefined;
  const lower = (family ?? name).toLowerCase().normalize("NFC");
  const latin = scripts.reduce(
    (text, [run, rules]) => text.replace(run, (found) => rules(found, country)),
    lower,
  );
  return loadTransliteration()
    .transliterate(latin)
    .replace(/[\s'`-]/g, "")
    .toLowerCase();
}

/** Latin letters whose plain form depends on the country; elsewhere only the mark is removed (Turkish Umit). */
const localLatin: Partial<Record<CountryCode, Record<string, string>>> = {
  de: { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" },
  rs: { đ: "dj", Đ: "Dj" },
};

/** Removes the marks from a name in Latin letters, keeping capitals: Łukasz is Lukasz, Müller in Germany Mueller. */
export function stripMarks(name: string, country: CountryCode): string {
  const local: Record<string, string> = { ə: "a", Ə: "A", ...localLatin[country] };
  const plain = Array.from(name.normalize("NFC"), (letter) => local[letter] ?? letter);
  return loadTransliteration().transliterate(plain.join(""));
}

/** The national system of Georgia (2002) without its apostrophes. */
const georgian = letterTable(
  "ა=a ბ=b გ=g დ=d ე=e ვ=v ზ=z თ=t ი=i კ=k ლ=l მ=m ნ=n ო=o პ=p ჟ=zh რ=r ს=s ტ=t უ=u ფ=p ქ=k ღ=gh ყ=q შ=sh ჩ=ch " +
    "ც=ts ძ=dz წ=ts ჭ=ch ხ=kh ჯ=j ჰ=h",
);

/** BGN/PCGN for Armenian without its apostrophes: Yervand, Vardanyan, Khachatryan. */
const armenian = letterTable(
  "ա=a բ=b գ=g դ=d ե=e զ=z է=e ը=y թ=t ժ=zh ի=i լ=l խ=kh ծ=ts կ=k հ=h ձ=dz ղ=gh ճ=ch մ=m յ=y ն=n շ=sh ո=o չ=ch պ=p " +
    "ջ=j ռ=r ս=s վ=v տ=t ր=r ց=ts ւ=v փ=p ք=k օ=o ֆ=f և=ev",
);

/** Romanises a name in lower-case Armenian letters. */
function romaniseArmenian(word: string): string {
  const prepared = word
    .replace(/ու/g, "u")
    .replace(/^ե/, "ye")
    .replace(/^և/, "yev")
    .replace(/^ո(?!վ)/, "vo");
  return spell(prepared, armenian);
}

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
function romaniseCyrillic(word: string, country: CountryCode): string {
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

const devanagari = letterTable(
  "क=k ख=kh ग=g घ=gh ङ=n च=ch छ=chh ज=j झ=jh ञ=n ट=t ठ=th ड=d ढ=dh ण=n त=t थ=th द=d ध=dh न=n प=p फ=ph ब=b भ=bh म=m " +
    "य=y र=r ल=l व=v श=sh ष=sh स=s ह=h ळ=l अ=a आ=a इ=i ई=i उ=u ऊ=u ऋ=ri ए=e ऐ=ai ओ=o औ=au " +
    "ा=a ि=i ी=i ु=u ू=u ृ=ri े=e ै=ai ो=o ौ=au ं=n ँ=n ः=h \u094D=",
);

/**
 * Romanises a name in Devanagari as Indians spell it in English, without marks. It drops the inherent vowel of a
 * consonant at the end of a word (Rahul), except after a cluster (Narendra).
 */
function romaniseDevanagari(word: string): string {
  const voiced = word
    .replace(/\u093C/g, "")
    .replace(/([क-ह])(?=[क-हअ-औंँः])/g, "$1a")
    .replace(/(?<=\u094D[क-ह])$/, "a");
  return spell(voiced, devanagari);
}

/** Pairs of letters that are one sound, in the order of replacement. */
const pairs: [RegExp, string][] = [
  [/ου/g, "ou"],
  [/([αεη])υ(?=[αβγδεζηλιμνορωυ])/g, "$1v"],
  [/([αεη])υ/g, "$1f"],
  [/γγ/g, "ng"],
  [/γξ/g, "nx"],
  [/γχ/g, "nch"],
  [/^μπ|μπ$/g, "b"],
];

const greek = letterTable(
  "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o",
);

/** Romanises a name in lower-case Greek letters by ELOT 743, as in passports: Giorgos, Evangelos, Papadopoulou. */
function romaniseGreek(word: string): string {
  const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
  return spell(
    pairs.reduce((text, [pair, latin]) => text.replace(pair, latin), plain),
    greek,
  );
}

const kana = letterTable(
  "あ=a い=i う=u え=e お=o か=ka き=ki く=ku け=ke こ=ko が=ga ぎ=gi ぐ=gu げ=ge ご=go さ=sa し=shi す=su せ=se そ=so " +
    "ざ=za じ=ji ず=zu ぜ=ze ぞ=zo た=ta ち=chi つ=tsu て=te と=to だ=da ぢ=ji づ=zu で=de ど=do な=na に=ni ぬ=nu ね=ne " +
    "の=no は=ha ひ=hi ふ=fu へ=he ほ=ho ば=ba び=bi ぶ=bu べ=be ぼ=bo ぱ=pa ぴ=pi ぷ=pu ぺ=pe ぽ=po ま=ma み=mi む=mu " +
    "め=me も=mo や=ya ゆ=yu よ=yo ら=ra り=ri る=ru れ=re ろ=ro わ=wa を=o ん=n ゔ=vu ー=",
);

const smallKana = letterTable("ゃ=a ゅ=u ょ=o");

/** Romanises a name in kana by Hepburn, without long vowels, as in passports: Shota, Yuki, Sato. */
function romaniseKana(word: string): string {
  const hiragana = word.replace(/[ァ-ヴ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60));
  const spelt = spell(hiragana, kana)
    .replace(/(?<=sh|ch|j)i(?=[ゃゅょ])/g, "")
    .replace(/i(?=[ゃゅょ])/g, "y");
  return spell(spelt, smallKana)
    .replace(/っ(?=ch)/g, "t")
    .replace(/っ([a-z])/g, "$1$1")
    .replace(/ou(?![aeiou])/g, "o")
    .replace(/uu/g, "u");
}

/** The most common family names in kanji. The reading of others depends on the family. */
const japaneseFamilies = letterTable(
  "佐藤=Sato 鈴木=Suzuki 高橋=Takahashi 田中=Tanaka 伊藤=Ito 渡辺=Watanabe 山本=Yamamoto 中村=Nakamura " +
    "小林=Kobayashi 加藤=Kato 吉田=Yoshida 山田=Yamada 佐々木=Sasaki 山口=Yamaguchi 松本=Matsumoto 井上=Inoue " +
    "木村=Kimura 林=Hayashi 斎藤=Saito 清水=Shimizu 山崎=Yamazaki 森=Mori 池田=Ikeda 橋本=Hashimoto 阿部=Abe " +
    "石川=Ishikawa 山下=Yamashita 中島=Nakajima 石井=Ishii 小川=Ogawa 前田=Maeda 岡田=Okada 長谷川=Hasegawa " +
    "藤田=Fujita 後藤=Goto 近藤=Kondo 村上=Murakami 遠藤=Endo 青木=Aoki 坂本=Sakamoto 福田=Fukuda 太田=Ota " +
    "西村=Nishimura 藤井=Fujii 金子=Kaneko 岡本=Okamoto 三浦=Miura 中野=Nakano 原田=Harada 小野=Ono 田村=Tamura",
);

/** The parts of a Hangul syllable (initial, vowel, final), in Unicode's order. */
const initials = "g kk n d tt r m b pp s ss  j jj ch k t p h".split(" ");
const vowels = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ");
const finals = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ");
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = initials.length * vowels.length * finals.length;

/** Usual spellings of family names that differ from the rules of romanisation. */
const koreanFamilies = letterTable(
  "김=kim 이=lee 박=park 최=choi 정=jung 조=cho 윤=yoon 임=lim 오=oh 신=shin 안=ahn 유=yoo 고=ko 문=moon 손=son 허=heo " +
    "심=shim 노=noh 곽=kwak 성=sung 주=joo 우=woo 구=koo 류=ryu 강=kang 권=kwon",
);

/** Romanises a name in Hangul by the Revised Romanization of Korea; a lone syllable as a family name. */
function romaniseHangul(word: string): string {
  return koreanFamilies.get(word) ?? Array.from(word, romaniseSyllable).join("");
}

function romaniseSyllable(syllable: string): string {
  const index = syllable.charCodeAt(0) - FIRST_SYLLABLE;
  if (index < 0 || index >= SYLLABLES) return syllable;
  const initial = initials[Math.floor(index / (vowels.length * finals.length))];
  const vowel = vowels[Math.floor(index / finals.length) % vowels.length];
  return `${initial}${vowel}${finals[index % finals.length]}`;
}
