/**
 * Coarse sounds of names, to mark names typed in another alphabet: the likeliest readings of sounds.ts, which the search
 * itself uses.
 */

/** Spellings and their sounds: c is ц, h х, j ж, q ч, w ш and щ; - is silent. */
const SOUNDS = new Map<string | undefined, string | undefined>(
  `
  c k | q k | w v | x ks | y i | ce se | ch q | ci si | ck k | cy si | kh h | ph f | qu kv | sch w | sh w | shch w
  th t | ts c | tz c | zh j
  а a | б b | в v | г g | ґ g | д d | е e | є e | ж j | з z | и i | і i | ї i | й i | к k | л l | м m | н n | о o | п p
  р r | с s | т t | у u | ў u | ф f | х h | ц c | ч q | ш w | щ w | ъ - | ы i | ь - | э e | ю iu | я ia
`
    .trim()
    .split(/\s*[|\n]\s*/)
    .map((row) => row.split(" "))
    .map(([spelling, sound]) => [spelling, sound]),
);

const SPELLINGS = new RegExp(
  `${[...SOUNDS.keys()].sort((a = "", b = "") => b.length - a.length).join("|")}|.`,
  "gs",
);

/** Letters, and where each begins and ends in the original text. */
export interface PlacedLetters {
  letters: string;
  starts: number[];
  ends: number[];
}

/** The coarse sound of normalised letters: equal for a word and its usual spelling in another alphabet. */
export function soundsOf({ letters, starts, ends }: PlacedLetters): PlacedLetters {
  const heard: PlacedLetters = { letters: "", starts: [], ends: [] };
  for (const { 0: spelling, index } of letters.matchAll(SPELLINGS)) {
    const sound = SOUNDS.get(spelling) ?? spelling;
    const end = ends[index + spelling.length - 1] as number;
    // A silent letter belongs to the one before it.
    if (sound === "-") {
      if (heard.ends.length > 0) heard.ends[heard.ends.length - 1] = end;
      continue;
    }
    heard.letters += sound;
    for (let unit = 0; unit < sound.length; unit++) {
      heard.starts.push(starts[index] as number);
      heard.ends.push(end);
    }
  }
  return heard;
}
