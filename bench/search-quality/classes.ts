import { additionClasses, silenceClasses, valueClasses } from "./classes/additions.ts";
import { endingClasses } from "./classes/endings.ts";
import { layoutClasses } from "./classes/layout.ts";
import { plainClasses } from "./classes/plain.ts";
import { spellingClasses } from "./classes/spelling.ts";
import { transliterationClasses } from "./classes/transliteration.ts";
import { typoClasses } from "./classes/typos.ts";

/** Every class of query, in the order of the report. */
export const QUERY_CLASSES = [
  ...plainClasses,
  ...typoClasses,
  ...transliterationClasses,
  ...layoutClasses,
  ...spellingClasses,
  ...endingClasses,
  ...valueClasses,
  ...additionClasses,
  ...silenceClasses,
];
