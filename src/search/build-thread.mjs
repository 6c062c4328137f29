// What a thread begins with has to be JavaScript: in Node 20 a thread does not have the TypeScript loader of the
// main thread, and `--import tsx` does nothing in one (https://github.com/privatenumber/tsx/issues/354).
import { register } from "tsx/esm/api";

register();
const { buildIndex } = await import("./load.ts");
await buildIndex();
