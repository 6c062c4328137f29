import { isObject } from "./json-values.ts";
import type { Path } from "./mapping.ts";

/** The parts of a record that some path reads; `true` is a whole field. */
type Used = Map<string, Used | true>;

/**
 * Makes a function that returns what no path reads, by field. Nested objects keep their other entries; a list is kept
 * whole unless each of its entries is read, since a list with gaps would mean something else.
 */
export function createLeftovers(
  paths: readonly Path[],
): (record: Record<string, unknown>) => [string, unknown][] {
  const used: Used = new Map();
  const named = new Set(paths.map((path) => path.text));
  for (const { steps } of paths) addPath(used, steps);
  return (record) => {
    const left: [string, unknown][] = [];
    for (const field of Object.keys(record)) {
      if (named.has(field)) continue;
      const value = leftOf(record[field], used.get(field));
      if (value !== undefined) left.push([field, value]);
    }
    return left;
  };
}

function addPath(used: Used, [step = "", ...rest]: readonly string[]): void {
  const there = used.get(step);
  if (there === true) return;
  if (rest.length === 0) {
    used.set(step, true);
    return;
  }
  const inner: Used = there ?? new Map();
  used.set(step, inner);
  addPath(inner, rest);
}

function leftOf(value: unknown, used: Used | true | undefined): unknown {
  if (used === true) return undefined;
  if (used === undefined) return value;
  if (Array.isArray(value))
    return value.every((_, index) => used.get(String(index)) === true) ? undefined : value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, leftOf(entry, used.get(key))] as const);
  const left = entries.filter(([, entry]) => entry !== undefined);
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}
