/**
 * Which letters of a name answer what was typed with an error, as places in the name: the same on the server and in
 * the browser. Believed is what the search believes (src/search/index): letters that were typed in that order, but for
 * one error in so many. Where an error was, the letters of the name stay out.
 */

/** Fewer letters are in a name by chance, unless they are all of a word. */
const LEAST_LETTERS = 3;
/** With more errors than one in so many letters it is another word. */
const LETTERS_AN_ERROR = { word: 3, joined: 6 };
const MOST_ERRORS = 3;
/** Nobody types more, and each further one takes its time. */
const MOST_LETTERS = 60;

/** Takes both as `fold` makes them. `whole`: nothing where a word of what was typed is not in the name. */
export function nearRanges(name, typed, whole) {
  if (typed.length > MOST_LETTERS) return [];
  const letters = typed.replaceAll(" ", "");
  const exact = joinedLetters(name, letters, 0);
  if (exact) return [[exact[0], exact.at(-1) + 1]];
  const words = wordsOf(name);
  const found = typed.split(" ").map((word) => nearestWord(words, word));
  if (found.every((places) => places)) return found.flat().map(oneLetter);
  const joined = joinedLetters(name, letters, errorsIn(letters, LETTERS_AN_ERROR.joined));
  const held = whole ? [] : found.flatMap((places) => places ?? []);
  return (joined ?? held).map(oneLetter);
}

function oneLetter(place) {
  return [place, place + 1];
}

/** Words typed as one, or one as several: `nrg500` is NRG-500. The places of the letters; undefined where it is none. */
function joinedLetters(name, letters, budget) {
  if (letters.length < LEAST_LETTERS) return undefined;
  const places = Array.from(name, (_, at) => at).filter((at) => name[at] !== " ");
  const all = places.map((at) => name[at]).join("");
  let best;
  for (const [first, at] of places.entries()) {
    if (at > 0 && name[at - 1] !== " ") continue;
    const found = aligned(letters, all.slice(first), best ? best.cost - 1 : budget);
    if (found) best = { cost: found.cost, places: found.places.map((place) => places[first + place]) };
  }
  return best?.places;
}

/** The letters of the nearest word of the name, which what was typed may be just the beginning of. */
function nearestWord(words, typed) {
  if (typed.length < LEAST_LETTERS) {
    const whole = words.find(({ word }) => word === typed);
    return whole && Array.from(typed, (_, at) => whole.start + at);
  }
  let budget = errorsIn(typed, LETTERS_AN_ERROR.word);
  let best;
  for (const { word, start } of words) {
    const found = aligned(typed, word, budget);
    if (!found) continue;
    best = found.places.map((place) => start + place);
    budget = found.cost - 1;
  }
  return best;
}

/** How many errors are believed. */
function errorsIn(letters, lettersAnError) {
  return Math.min(MOST_ERRORS, Math.floor(letters.length / lettersAnError));
}

function wordsOf(name) {
  return [...name.matchAll(/\S+/g)].map(({ 0: word, index: start }) => ({ word, start }));
}

/**
 * The places in `text` of the letters that were typed, where its beginning is what was typed but for so many letters
 * missing, added, mistaken or swapped; undefined where it is not, and where little is the same.
 */
function aligned(typed, text, budget) {
  if (budget < 0) return undefined;
  if (text.startsWith(typed)) return { cost: 0, places: Array.from({ length: typed.length }, (_, at) => at) };
  const beginning = text.slice(0, typed.length + budget);
  if (budget === 0 || beginning.length + budget < typed.length) return undefined;
  const rows = costRows(typed, beginning, budget);
  const last = rows?.[typed.length];
  if (!last) return undefined;
  const cost = Math.min(...last);
  const places = samePlaces(rows, typed, beginning, last.lastIndexOf(cost));
  return places.length * 2 < typed.length ? undefined : { cost, places };
}

/**
 * https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance#Optimal_string_alignment_distance
 * Undefined as soon as nothing can come that is within the budget.
 */
function costRows(typed, text, budget) {
  const rows = [Array.from({ length: text.length + 1 }, (_, at) => at)];
  for (let read = 1; read <= typed.length; read++) {
    const [above, row] = [rows[read - 1], [read]];
    for (let at = 1; at <= text.length; at++) {
      const changed = above[at - 1] + (typed[read - 1] === text[at - 1] ? 0 : 1);
      const swapped = isSwapped(typed, text, read, at) ? rows[read - 2][at - 2] + 1 : changed;
      row.push(Math.min(changed, swapped, above[at] + 1, row[at - 1] + 1));
    }
    if (Math.min(...row) > budget) return undefined;
    rows.push(row);
  }
  return rows;
}

function isSwapped(typed, text, read, at) {
  return read > 1 && at > 1 && typed[read - 1] === text[at - 2] && typed[read - 2] === text[at - 1];
}

/** Goes back the cheapest way, from all of what was typed and so many letters of the text. */
function samePlaces(rows, typed, text, letters) {
  const places = [];
  let [read, at] = [typed.length, letters];
  while (read > 0 && at > 0) {
    const cost = rows[read][at];
    const before = rows[read - 1][at - 1];
    if (typed[read - 1] === text[at - 1] && cost === before) {
      [read, at] = [read - 1, at - 1];
      places.unshift(at);
    } else if (isSwapped(typed, text, read, at) && cost === rows[read - 2][at - 2] + 1) {
      [read, at] = [read - 2, at - 2];
    } else if (cost === before + 1) [read, at] = [read - 1, at - 1];
    else if (cost === rows[read - 1][at] + 1) read--;
    else at--;
  }
  return places;
}
