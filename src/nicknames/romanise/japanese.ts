import { letterTable, spell } from "./letters.ts";

const kana = letterTable(
  "あ=a い=i う=u え=e お=o か=ka き=ki く=ku け=ke こ=ko が=ga ぎ=gi ぐ=gu げ=ge ご=go さ=sa し=shi す=su せ=se そ=so " +
    "ざ=za じ=ji ず=zu ぜ=ze ぞ=zo た=ta ち=chi つ=tsu て=te と=to だ=da ぢ=ji づ=zu で=de ど=do な=na に=ni ぬ=nu ね=ne " +
    "の=no は=ha ひ=hi ふ=fu へ=he ほ=ho ば=ba び=bi ぶ=bu べ=be ぼ=bo ぱ=pa ぴ=pi ぷ=pu ぺ=pe ぽ=po ま=ma み=mi む=mu " +
    "め=me も=mo や=ya ゆ=yu よ=yo ら=ra り=ri る=ru れ=re ろ=ro わ=wa を=o ん=n ゔ=vu ー=",
);

const smallKana = letterTable("ゃ=a ゅ=u ょ=o");

/** Romanises a name in kana by Hepburn, without long vowels, as in passports: Shota, Yuki, Sato. */
export function romaniseKana(word: string): string {
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
const families = letterTable(
  "佐藤=Sato 鈴木=Suzuki 高橋=Takahashi 田中=Tanaka 伊藤=Ito 渡辺=Watanabe 山本=Yamamoto 中村=Nakamura " +
    "小林=Kobayashi 加藤=Kato 吉田=Yoshida 山田=Yamada 佐々木=Sasaki 山口=Yamaguchi 松本=Matsumoto 井上=Inoue " +
    "木村=Kimura 林=Hayashi 斎藤=Saito 清水=Shimizu 山崎=Yamazaki 森=Mori 池田=Ikeda 橋本=Hashimoto 阿部=Abe " +
    "石川=Ishikawa 山下=Yamashita 中島=Nakajima 石井=Ishii 小川=Ogawa 前田=Maeda 岡田=Okada 長谷川=Hasegawa " +
    "藤田=Fujita 後藤=Goto 近藤=Kondo 村上=Murakami 遠藤=Endo 青木=Aoki 坂本=Sakamoto 福田=Fukuda 太田=Ota " +
    "西村=Nishimura 藤井=Fujii 金子=Kaneko 岡本=Okamoto 三浦=Miura 中野=Nakano 原田=Harada 小野=Ono 田村=Tamura",
);

/** The reading of a common family name in kanji; undefined for any other. */
export function readKanjiFamily(word: string): string | undefined {
  return families.get(word);
}
