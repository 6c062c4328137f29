import { isbot } from "isbot";
import { LRUCache } from "lru-cache";

/** There are few different ones, and the check looks for some hundred words. */
const known = new LRUCache<string, boolean>({ max: 1_000 });

/** Whether a program other than a browser asks, by its User-Agent; one that does not say what it is counts as one. */
export function isProgram(agent: string | undefined): boolean {
  if (agent === undefined || agent === "") return true;
  const isOne = known.get(agent) ?? isbot(agent);
  known.set(agent, isOne);
  return isOne;
}
