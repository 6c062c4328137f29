import { fixedPartLength } from "./fixed-part.ts";
import type { NicknameRequest } from "./generate.ts";

/** What is wrong with a request, by the name of its parameter. */
export interface Impossibility {
  param: "first" | "last" | "min_len" | "max_len";
  message: string;
}

/**
 * Finds what no list of names could ever satisfy, each with a sentence for the player; empty where an answer is
 * possible, if perhaps an empty one. Takes fixed parts as `normaliseFixedPart` gives them.
 */
export function findImpossible(request: NicknameRequest): Impossibility[] {
  const { first, last, minLength, maxLength } = request;
  const found: Impossibility[] = [];
  if (minLength > maxLength) {
    found.push({
      param: "min_len",
      message: `min_len (${minLength}) is greater than max_len (${maxLength}).`,
    });
  }
  if (first !== undefined && last !== undefined) return [...found, ...findInBoth(first, last, request)];
  if (first !== undefined) found.push(...findTooLong("first", first, maxLength));
  if (last !== undefined) found.push(...findTooLong("last", last, maxLength));
  return found;
}

function findTooLong(param: "first" | "last", part: string, maxLength: number): Impossibility[] {
  const shortest = part.length + 1 + fixedPartLength.min;
  if (shortest <= maxLength) return [];
  const other = param === "first" ? "last" : "first";
  const rest = `with an underscore and the shortest ${other} name it makes ${shortest} characters`;
  return [{ param, message: `"${part}" is too long: ${rest}, and max_len is ${maxLength}.` }];
}

function findInBoth(first: string, last: string, { minLength, maxLength }: NicknameRequest): Impossibility[] {
  const found: Impossibility[] = [];
  if (first.toLowerCase() === last.toLowerCase()) {
    found.push({
      param: "last",
      message: `The first and the last name are the same, "${last}"; they must differ.`,
    });
  }
  const nickname = `${first}_${last}`;
  const length = `"${nickname}" has ${nickname.length} characters`;
  if (nickname.length > maxLength)
    found.push({ param: "max_len", message: `${length}, max_len is ${maxLength}.` });
  else if (nickname.length < minLength) {
    found.push({ param: "min_len", message: `${length}, min_len is ${minLength}.` });
  }
  return found;
}
