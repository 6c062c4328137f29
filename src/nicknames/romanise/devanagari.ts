import { letterTable, spell } from "./letters.ts";

const devanagari = letterTable(
  "क=k ख=kh ग=g घ=gh ङ=n च=ch छ=chh ज=j झ=jh ञ=n ट=t ठ=th ड=d ढ=dh ण=n त=t थ=th द=d ध=dh न=n प=p फ=ph ब=b भ=bh म=m " +
    "य=y र=r ल=l व=v श=sh ष=sh स=s ह=h ळ=l अ=a आ=a इ=i ई=i उ=u ऊ=u ऋ=ri ए=e ऐ=ai ओ=o औ=au " +
    "ा=a ि=i ी=i ु=u ू=u ृ=ri े=e ै=ai ो=o ौ=au ं=n ँ=n ः=h \u094D=",
);

/**
 * Romanises a name in Devanagari as Indians spell it in English, without marks. It drops the inherent vowel of a
 * consonant at the end of a word (Rahul), except after a cluster (Narendra).
 */
export function romaniseDevanagari(word: string): string {
  const voiced = word
    .replace(/\u093C/g, "")
    .replace(/([क-ह])(?=[क-हअ-औंँः])/g, "$1a")
    .replace(/(?<=\u094D[क-ह])$/, "a");
  return spell(voiced, devanagari);
}
