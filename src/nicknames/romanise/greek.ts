import { letterTable, spell } from "./letters.ts";

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
export function romaniseGreek(word: string): string {
  const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
  return spell(
    pairs.reduce((text, [pair, latin]) => text.replace(pair, latin), plain),
    greek,
  );
}
