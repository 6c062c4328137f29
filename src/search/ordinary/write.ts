/** `npm run words` */
import { writeFileSync } from "node:fs";
import { makeWords } from "./make.ts";
import { FILE } from "./ordinary-words.ts";

writeFileSync(FILE, makeWords());
