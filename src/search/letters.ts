/** Which letters count as equal, for the search on the server and for marks in the browser. */

/** Soft hyphens, joiners, variation selectors and their kin. */
export const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The accents of Latin, Greek and Cyrillic. */
export const ACCENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;

/** Letters that Unicode does not decompose, as typed on keyboards without them. */
export const PLAIN: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ĸ: "k",
  ł: "l",
  ŋ: "n",
  ø: "o",
  œ: "oe",
  ß: "ss",
  ŧ: "t",
  þ: "th",
  ς: "σ",
};
