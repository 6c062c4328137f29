import { createRequire } from "node:module";
import { memoize } from "./memoize.ts";

const require = createRequire(import.meta.url);

/**
 * A package that few requests need. It is loaded when the returned function is first called: all of them together would
 * double the memory of a site and the time of its start.
 */
export function lazyPackage<Package>(name: string): () => Package {
  return memoize(() => require(name) as Package);
}
