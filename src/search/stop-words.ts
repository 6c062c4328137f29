/**
 * Words that people put around a name and that tell little: articles, prepositions, and what a question begins with. In
 * the languages of the site first, then in others that games have names in; normalised.
 */
const STOP_WORDS = new Set(
  `
  a an the of for in on at to from by with and or is are was were be do does did can could i you my me it its this that
  where what how who when which get find buy sell make drop drops use got need want best
  в во на с со у к ко из от до по за для о об и или а но как где что чем кто когда какой какая какое какие это этот эта
  есть ли мне я мой найти взять купить продать получить сделать нужен нужна нужно
  у в на з із зі до від для і й та або але як де що хто коли який яка яке які це є чи мені знайти взяти купити
  der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur im am auf mit fur aus bei wo wie
  was wer ist finde kaufen
  le la les un une des du de et ou au aux dans en sur pour par avec est comment quel quelle trouver acheter
  зе зэ оф энд
  el los las una unos unas del y o al con por para como donde que es son encontrar comprar
  `
    .trim()
    .split(/\s+/),
);

/** Whether a normalised word may be missing in a name that is meant. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
