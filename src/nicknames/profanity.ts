/**
 * Obvious obscenities and slurs, in the languages that players read, that no invented name may contain. The list is
 * short and strict, because there are always other names.
 */
const anywhere =
  "fuck shit cunt nigg nigr negr fag sex kike gook chink spic coon boob crap turd cock dick piss slut whore rape penis vagin porn nazi hitler twat wank tits titt " +
  "bitch bastard jizz dildo semen sperm anus arsch fotze fick wichs hure schlamp nutte merd salop encul bite couill " +
  "putai puta puto mierd pendej culo verga polla joder maricon caralh porra foda bucet viad cazz stronz minch troia " +
  "fregn kurw chuj pierd jeban jebac cipa dupa prdel picha orosp yarrak pidor pidar pizd blya ebal eban ebat mudak " +
  "mudil gandon zhop manda zalup shluh drist govno gavno chmo debil";

const atTheStart = "huy hui khuy khui hyi hujn suka suki cum ass";

/** Too short to search for inside a word; refused only as the whole word. */
const wholeWords = "arse anal gay hoe tit cul pic sik pute shat";

const pattern = new RegExp(
  `${alternatives(anywhere)}|^(?:${alternatives(atTheStart)})|^(?:${alternatives(wholeWords)})$`,
);

/** Whether a word in lower case is or contains an obvious obscenity or slur. */
export function isProfane(word: string): boolean {
  return pattern.test(word);
}

function alternatives(words: string): string {
  return words.split(" ").join("|");
}
