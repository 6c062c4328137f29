/** Levels of objects and lists in JSON of somebody else's. What walks it takes a call for each level. */
export const LEVELS_AT_MOST = 64;

/** Whether a value out of JSON.parse, which itself takes any depth, has more levels. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === LEVELS_AT_MOST) return true;
    level = level.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
