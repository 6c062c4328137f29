import { isbot } from "isbot";
import { LRUCache } from "lru-cache";

/** There are few different ones, and the check looks for some hundred words. */
const known = new LRUCache<string, boolean>({ max: 1_000 });

/** True for a program other than a browser, by its User-Agent, or without one. */
export function isProgram(agent: string | undefined): boolean {
  if (agent === undefined || agent === "") return true;
  const isOne = known.get(agent) ?? isbot(agent);
  known.set(agent, isOne);
  return isOne;
}
