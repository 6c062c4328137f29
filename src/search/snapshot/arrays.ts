import type { IndexData } from "../index/build.ts";
import { IndexBuilder } from "../index/build.ts";

/** A typed array of an index, with the keys that lead to it: `words.list.letters`. */
export interface NamedArray {
  readonly name: string;
  readonly array: TypedArray;
}

export type TypedArray = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The typed arrays of an index, always in the same order. */
export function arraysOf(data: IndexData): NamedArray[] {
  const found: NamedArray[] = [];
  mapArrays(data, "", (name, array) => {
    found.push({ name, array });
    return array;
  });
  return found;
}

/** The typed arrays that every index has, all of them empty or nearly so: what a file is compared with. */
export function expectedArrays(): NamedArray[] {
  return arraysOf(new IndexBuilder().finish());
}

/** An index of so many records with these arrays, which are those of `arraysOf` in the same order. */
export function indexOf(size: number, arrays: readonly TypedArray[]): IndexData {
  const left = [...arrays];
  const filled = mapArrays(new IndexBuilder().finish(), "", (_name, array) => left.shift() ?? array);
  return { ...filled, size };
}

/** A copy of an object whose typed arrays are replaced, however deep they are. */
function mapArrays<Data extends object>(
  data: Data,
  prefix: string,
  replace: (name: string, array: TypedArray) => TypedArray,
): Data {
  const entries = Object.entries(data).map(([key, value]) => {
    if (isTypedArray(value)) return [key, replace(prefix + key, value)];
    if (typeof value !== "object" || value === null) return [key, value];
    return [key, mapArrays(value, `${prefix}${key}.`, replace)];
  });
  return Object.fromEntries(entries) as Data;
}

function isTypedArray(value: unknown): value is TypedArray {
  return value instanceof Uint8Array || value instanceof Uint16Array || value instanceof Uint32Array;
}
