import type { Catalogue } from "../catalogue.ts";
import { lettersOf } from "../cut.ts";
import { fold, scriptOf } from "../fold.ts";
import type { LabelledQuery, QueryClass } from "../query-class.ts";
import type { Random } from "../random.ts";

/** Letters that look the same, small and capital ones. */
const LATIN_TWINS = "aceopxyABCEHKMOPTX";
const CYRILLIC_TWINS = "асеорхуАВСЕНКМОРТХ";

const LIGATURES: readonly [letters: string, ligature: string][] = [
  ["ffi", "ﬃ"],
  ["ffl", "ﬄ"],
  ["ff", "ﬀ"],
  ["fi", "ﬁ"],
  ["fl", "ﬂ"],
  ["st", "ﬆ"],
  ["œ", "oe"],
  ["æ", "ae"],
  ["ß", "ss"],
  ["ae", "æ"],
  ["oe", "œ"],
];

const disguisedLetters: QueryClass = {
  name: "ligatures, full width, look-alikes",
  targets: [{ metric: "hit@1" }],
  fits: ({ script }) => script === "latin" || script === "cyrillic",
  make({ text, script }, random, catalogue) {
    const [own, other] = script === "latin" ? [LATIN_TWINS, CYRILLIC_TWINS] : [CYRILLIC_TWINS, LATIN_TWINS];
    const disguised = random.pick([
      () => withLookAlike(text, own, other, random),
      () => toFullWidth(text),
      () => withLigature(text, random),
    ])();
    if (disguised === text) return undefined;
    return sameName(disguised, text, catalogue);
  },
};

const punctuation: QueryClass = {
  name: "punctuation left out or changed",
  targets: [{ metric: "hit@1", atLeast: 99 }],
  fits: () => true,
  make({ text }, random, catalogue) {
    const changes = MARK.test(text) ? [leaveOut, replaceMark, replaceMark, addMark] : [addMark, replaceSpace];
    const changed = random.pick(changes)(text, random);
    return changed === text ? undefined : sameName(changed, text, catalogue);
  },
};

/** Names whose letters are all there, but in another guise. */
export const spellingClasses = [
  accents("ё typed as е", "cyrillic"),
  accents("diacritics left out", "latin"),
  disguisedLetters,
  punctuation,
];

function accents(name: string, script: "cyrillic" | "latin"): QueryClass {
  return {
    name,
    targets: [{ metric: "hit@1", atLeast: 99 }],
    fits: (each) =>
      each.script === script && (withoutAccents(each.text) !== each.text || /е/i.test(each.text)),
    make({ text }, random, catalogue) {
      const plain = withoutAccents(text);
      if (plain !== text) return sameName(plain, text, catalogue);
      // The other way round is rarer, since nobody is made to type ё.
      if (random.next() < 0.8) return undefined;
      return sameName(replaceOne(text, "еЕ", "ёЁ", random), text, catalogue);
    },
  };
}

/** Undefined where the changed text has become the very name of other records. */
function sameName(typed: string, text: string, catalogue: Catalogue): LabelledQuery | undefined {
  const hits = catalogue.named(text);
  if (fold(typed) !== fold(text) && catalogue.named(typed).count > 0) return undefined;
  return { text: typed, meant: text, hits, relevant: catalogue.beginning(text) };
}

/** As typed on a keyboard without them: é as e, ё as е; й stays, which every Russian keyboard has. */
function withoutAccents(text: string): string {
  return text
    .normalize("NFD")
    .replace(/(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f]/g, "")
    .normalize("NFC");
}

/** Changes one letter of `from` into the one at the same place of `to`. */
function replaceOne(text: string, from: string, to: string, random: Random): string {
  const letters = lettersOf(text);
  const places = letters.flatMap((letter, place) => (from.includes(letter) ? [place] : []));
  if (places.length === 0) return text;
  const place = random.pick(places);
  return letters.with(place, to.charAt(from.indexOf(letters[place] ?? ""))).join("");
}

/** Not where that makes a whole word one of the other alphabet: nothing tells that it is not meant. */
function withLookAlike(text: string, own: string, other: string, random: Random): string {
  const disguised = replaceOne(text, own, other, random);
  const words = fold(disguised).split(" ");
  return words.some((word) => scriptOf(word) === "mixed") ? disguised : text;
}

function toFullWidth(text: string): string {
  return text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

function withLigature(text: string, random: Random): string {
  const fitting = LIGATURES.filter(([letters]) => text.includes(letters));
  return fitting.length === 0 ? text : text.replace(...random.pick(fitting));
}

const MARK = /[\p{Punctuation}\p{Math_Symbol}]/u;
const MARKS = new RegExp(MARK, "gu");

function leaveOut(text: string): string {
  return text.replace(MARKS, "").replace(/\s+/g, " ").trim();
}

function replaceMark(text: string, random: Random): string {
  return text.replace(MARKS, random.pick([" ", "-", "."])).trim();
}

function replaceSpace(text: string, random: Random): string {
  return text.replaceAll(" ", random.pick(["-", "_", ", ", " - "]));
}

/** At the end of a word. */
function addMark(text: string, random: Random): string {
  const words = text.split(" ");
  const place = random.between(0, words.length - 1);
  return words.with(place, `${words[place]}${random.pick([..."-.,:!'"])}`).join(" ");
}
