import { additionClasses } from "./additions.ts";
import { endingClasses } from "./endings.ts";
import { formClasses } from "./forms.ts";
import { hostileClasses } from "./hostile.ts";
import { layoutClasses } from "./layout.ts";
import { neighbourClasses } from "./neighbours.ts";
import { noiseClasses } from "./noise.ts";
import { plainClasses } from "./plain.ts";
import { silenceClasses } from "./silence.ts";
import { spellingClasses } from "./spelling.ts";
import { transliterationClasses } from "./transliteration.ts";
import { typoClasses } from "./typos.ts";

/** Every class of query, in the order of the report. */
export const QUERY_CLASSES = [
  ...plainClasses,
  ...typoClasses,
  ...transliterationClasses,
  ...neighbourClasses,
  ...layoutClasses,
  ...spellingClasses,
  ...endingClasses,
  ...formClasses,
  ...additionClasses,
  ...hostileClasses,
  ...noiseClasses,
  ...silenceClasses,
];
