import { prepend } from "./prepend.ts";
import { BrokenFileError, cutOff } from "./unreadable.ts";

const OUTSIDE_STRINGS = /["[\]{}]|,/g;
const INSIDE_STRINGS = /["\\]/g;
/** A longer key is neither found nor told. */
const LONGEST_KEY = 200;
const LISTS_TOLD = 3;

/**
 * The text of the list that an object has at a path of keys, with all that follows it: at `data.items` of
 * `{"data":{"items":[…]}}`. What comes before it is passed over and not held.
 * @throws BrokenFileError where there is no such list, naming those that there are, or more after the object
 */
export async function* findList(texts: AsyncGenerator<string>, path: string): AsyncGenerator<string> {
  const seeker = createSeeker(path);
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    const list = seeker.push(next.value);
    if (list !== undefined) return yield* refuseSecond(seeker, prepend([list], texts));
  }
  if (!seeker.isObject())
    throw new BrokenFileError("--records is for a JSON object with a list in it; this is none");
  if (!seeker.isOver()) throw cutOff(1);
  const advice = adviseLists(seeker.lists());
  throw new BrokenFileError(`there is no list at "${path}"${advice === undefined ? "" : `; ${advice}`}`);
}

/**
 * Answers of an API, one a page and written one after the other, are several objects. Reading the first of them alone
 * would leave records out without a word, and `--prune` would remove them.
 */
async function* refuseSecond(seeker: Seeker, texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) {
    seeker.push(text);
    if (seeker.hasMore())
      throw new BrokenFileError("--records is for one JSON object; there is more after its end");
    yield text;
  }
}

/** The paths of the first lists in a text that is one object. */
export async function listsIn(texts: AsyncGenerator<string>): Promise<readonly string[]> {
  const seeker = createSeeker(undefined);
  for await (const text of texts) seeker.push(text);
  return seeker.lists();
}

/** Passes records on; `advice` says what to do where they were one alone, which has lists of objects in it. */
export function watchForLists(records: AsyncIterable<unknown>) {
  let count = 0;
  let first: unknown;
  async function* pass(): AsyncGenerator<unknown> {
    for await (const record of records) {
      count += 1;
      if (count === 1) first = record;
      yield record;
    }
  }
  const advice = () => (count === 1 ? adviseLists(listsOfObjects(first)) : undefined);
  return { records: pass(), advice };
}

function listsOfObjects(record: unknown): string[] {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return [];
  const isListOfObjects = (value: unknown) => Array.isArray(value) && typeof value[0] === "object";
  return Object.entries(record).flatMap(([key, value]) => (isListOfObjects(value) ? [key] : []));
}

/** How to read records that are not the file itself but a list in it; undefined where there is none. */
export function adviseLists(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const options = paths
    .slice(0, LISTS_TOLD)
    .map((path) => `--records ${/^[\w.-]+$/.test(path) ? path : JSON.stringify(path)}`);
  return `the file is an object with ${paths.length === 1 ? "a list" : "lists"} in it, read by ${options.join(" or ")}`;
}

type Seeker = ReturnType<typeof createSeeker>;

/** Goes through the text of an object bracket by bracket, and knows by which keys it came where it is. */
function createSeeker(sought: string | undefined) {
  const keys: string[] = [];
  const lists: string[] = [];
  let kind: "unknown" | "object" | "other" = "unknown";
  let openLists = 0;
  let isFound = false;
  let isOver = false;
  let hasMore = false;
  let inString = false;
  let isEscaped = false;
  let letters = "";
  /** The string that was read last: a key, if a bracket follows it. */
  let key = "";

  /** The text from the bracket of the sought list on, where that is first met. */
  function push(text: string): string | undefined {
    const first = text.trimStart().charAt(0);
    if (kind === "unknown" && first !== "") kind = first === "{" ? "object" : "other";
    if (kind !== "object") return undefined;
    let position = 0;
    while (position < text.length) {
      if (isOver) {
        hasMore ||= text.slice(position).trim() !== "";
        return undefined;
      }
      if (isEscaped) {
        letters += text[position];
        isEscaped = false;
        position += 1;
        continue;
      }
      const pattern = inString ? INSIDE_STRINGS : OUTSIDE_STRINGS;
      pattern.lastIndex = position;
      const match = pattern.exec(text);
      const end = match?.index ?? text.length;
      if (inString && letters.length <= LONGEST_KEY) letters += text.slice(position, end);
      position = end + 1;
      if (match && take(match[0])) return text.slice(end);
    }
    return undefined;
  }

  /** True at the bracket of the sought list. */
  function take(token: string): boolean {
    if (token === "\\") {
      letters += token;
      isEscaped = true;
    } else if (token === '"') {
      key = inString ? readKey(letters) : key;
      letters = "";
      inString = !inString;
    } else if (token === "[" && noteList()) return true;
    else if (token === "{" || token === "[") open(token);
    else close(token);
    return false;
  }

  /** Lists in lists have no path. */
  function noteList(): boolean {
    const path = [...keys.slice(1), key].join(".");
    if (isFound || openLists > 0 || key === "") return false;
    if (lists.length < LISTS_TOLD) lists.push(path);
    isFound = path === sought;
    return isFound;
  }

  function open(bracket: string): void {
    if (bracket === "[") openLists += 1;
    keys.push(key);
    key = "";
  }

  function close(token: string): void {
    key = "";
    if (token === ",") return;
    keys.pop();
    isOver = keys.length === 0;
    if (token === "]") openLists -= 1;
  }

  return {
    push,
    lists: () => lists,
    isObject: () => kind === "object",
    isOver: () => isOver,
    hasMore: () => hasMore,
  };
}

function readKey(letters: string): string {
  try {
    return letters.length > LONGEST_KEY ? "" : JSON.parse(`"${letters}"`);
  } catch {
    return "";
  }
}
