import type { Catalogue, CatalogueName } from "../catalogue.ts";
import { fold, scriptOf } from "../fold.ts";
import { type LabelledQuery, type QueryClass, seek } from "../query-class.ts";
import type { Random } from "../random.ts";

/** Letters that look the same, small and capital ones. */
const LATIN_TWINS = "aceopxyABCEHKMOPTX";
const CYRILLIC_TWINS = "асеорхуАВСЕНКМОРТХ";

const LIGATURES = "ffi ﬃ, ffl ﬄ, ff ﬀ, fi ﬁ, fl ﬂ, st ﬆ, œ oe, æ ae, ß ss, ae æ, oe œ"
  .split(", ")
  .map((pair) => pair.split(" ") as [letters: string, ligature: string]);

/** Names whose letters are all there, but in another guise. */
export const spellingClasses: readonly QueryClass[] = [
  accents("ё typed as е", "cyrillic"),
  accents("diacritics left out", "latin"),
  {
    name: "ligatures, full width, look-alikes",
    targets: { "hit@1": 0 },
    fits: ({ script }) => script === "latin" || script === "cyrillic",
    make(name, random, catalogue) {
      const { text, script } = name;
      const [own, other] = script === "latin" ? [LATIN_TWINS, CYRILLIC_TWINS] : [CYRILLIC_TWINS, LATIN_TWINS];
      const disguised = random.pick([
        () => withLookAlike(text, own, other, random),
        () => toFullWidth(text),
        () => withLigature(text, random),
      ])();
      return seekSame(disguised, name, catalogue);
    },
  },
  {
    name: "punctuation left out or changed",
    targets: { "hit@1": 99 },
    fits: () => true,
    make(name, random, catalogue) {
      const { text } = name;
      const changes = MARK.test(text)
        ? [leaveOut, replaceMark, replaceMark, addMark]
        : [addMark, replaceSpace];
      return seekSame(random.pick(changes)(text, random), name, catalogue);
    },
  },
];

function accents(name: string, script: "cyrillic" | "latin"): QueryClass {
  return {
    name,
    targets: { "hit@1": 99 },
    fits: ({ script: its, text }) => its === script && (withoutAccents(text) !== text || /е/i.test(text)),
    make(named, random, catalogue) {
      const { text } = named;
      const plain = withoutAccents(text);
      if (plain !== text) return seekSame(plain, named, catalogue);
      // The other way round is rarer, since nobody is made to type ё.
      return random.next() < 0.8
        ? undefined
        : seekSame(replaceOne(text, "еЕ", "ёЁ", random), named, catalogue);
    },
  };
}

/** Undefined where nothing has changed, or the text has become the very name of other records. */
function seekSame(typed: string, name: CatalogueName, catalogue: Catalogue): LabelledQuery | undefined {
  const isOther = fold(typed) !== name.folded && catalogue.named(typed).count > 0;
  return typed === name.text || isOther ? undefined : seek(typed, name, catalogue);
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
  const letters = [...text];
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
