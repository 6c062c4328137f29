/** Writes a lower-case word in other letters. */
export type Spelling = (word: string) => string;

const RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя";
const VOWELS = "аеёиоуыэюяъь";

/** Systems and habits of writing Russian in Latin letters. */
export const LATIN_SPELLINGS: Readonly<Record<string, Spelling>> = {
  "GOST 7.79 B": latin(
    "a b v g d e yo zh z i j k l m n o p r s t u f x cz ch sh shh `` y' ` e` yu ya",
    (word) => word.replace(/ц(?=[еиый])/g, "c"),
  ),
  "passport (ICAO 9303)": latin(
    "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch ie y - e iu ia",
  ),
  "BGN/PCGN": latin(
    `a b v g d e ë zh z i y k l m n o p r s t u f kh ts ch sh shch " y ' e yu ya`,
    initialE("ye"),
  ),
  "BGN/PCGN with y for ий": latin(
    "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya",
    (word) => initialE("ye")(word.replace(/[иы]й$/, "y")),
  ),
  "scientific, no háčeks": latin("a b v g d e e z z i j k l m n o p r s t u f ch c c s sc - y ' e ju ja"),
  "scientific, x for х": latin("a b v g d e e z z i j k l m n o p r s t u f x c c s sc - y - e ju ja"),
  German: latin(
    "a b w g d e jo sch s i i k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja",
    initialE("je"),
  ),
  "German, sh for ж": latin(
    "a b w g d e jo sh s i j k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja",
  ),
  Polish: latin("a b w g d e jo z z i j k l m n o p r s t u f ch c cz sz szcz - y - e ju ja"),
  French: latin("a b v g d e io j z i i k l m n o p r s t ou f kh ts tch ch chtch - y - e iou ia"),
  "translit.net": latin("a b v g d e jo zh z i j k l m n o p r s t u f h c ch sh w - y ' je ju ja"),
  "chat: j w x": latin("a b v g d e e j z i i k l m n o p r s t u f x c ch w w - y - e u ya"),
  "chat: 4 6": latin("a b v g d e e zh z i y k l m n o p r s t u f h c 4 6 sch - y - e yu ya"),
  "chat: plain": latin("a b v g d e yo zh z i y k l m n o p r s t u f h ts ch sh sh - y - e u ia"),
};

/** Ways of writing English in Cyrillic letters. */
export const CYRILLIC_SPELLINGS: Readonly<Record<string, Spelling>> = {
  "letter by letter": cyrillic(""),
  "letter by letter, c as ц": cyrillic("c=ц j=ж"),
  "digraphs as one": cyrillic(
    "sch=ш sh=ш tch=ч ch=ч th=т ph=ф ck=к qu=кв ee=и oo=у ya=я yu=ю ss=с ll=л tt=т pp=п rr=р mm=м nn=н ce=се ci=си cy=си",
  ),
  "by sound": cyrillic(
    "tion=шен igh=ай sch=ш sh=ш tch=ч ch=ч th=т ph=ф ck=к qu=кв ee=и ea=и oo=у ow=оу ay=ей ai=ей ss=с ll=л tt=т pp=п " +
      "rr=р mm=м nn=н ff=ф ce=се ci=си cy=си ge=дж gi=джи ade=ейд ake=ейк ane=ейн ate=ейт ave=ейв ide=айд ike=айк ine=айн " +
      "ite=айт ive=айв ire=айр wa=уа we=уэ wi=уи wo=уо",
  ),
};

function latin(letters: string, before: Spelling = (word) => word): Spelling {
  const table = new Map(letters.split(" ").map((written, index) => [RUSSIAN.charAt(index), written]));
  return (word) =>
    Array.from(before(word), (letter) => table.get(letter) ?? letter)
      .join("")
      .replaceAll("-", "");
}

/** е where it begins a word or stands after a vowel. */
function initialE(written: string): Spelling {
  return (word) => word.replace(new RegExp(`(?<=^|[${VOWELS}])е`, "g"), written);
}

function cyrillic(own: string): Spelling {
  const plain =
    "a=а b=б c=к d=д e=е f=ф g=г h=х i=и j=дж k=к l=л m=м n=н o=о p=п q=к r=р s=с t=т u=у v=в w=в x=кс y=и z=з";
  const table = new Map(
    `${plain} ${own}`
      .trim()
      .split(" ")
      .map((pair) => pair.split("=") as [string, string]),
  );
  const longestFirst = [...table.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.join("|"), "g");
  return (word) => word.replace(pattern, (letters) => table.get(letters) ?? letters);
}
