type Copied = Uint8Array | Uint16Array | Uint32Array;

/**
 * Moves the arrays of an index to memory that threads share, one after the other, so that no two copies of the whole are
 * there at a time. The index is changed in place.
 */
export function moveToSharedMemory(data: object): void {
  for (const [key, value] of Object.entries(data)) {
    if (isNumbers(value)) Reflect.set(data, key, sharedCopy(value));
    else if (typeof value === "object" && value !== null) moveToSharedMemory(value);
  }
}

function isNumbers(value: unknown): value is Copied {
  return value instanceof Uint8Array || value instanceof Uint16Array || value instanceof Uint32Array;
}

function sharedCopy(numbers: Copied): Copied {
  const memory = new SharedArrayBuffer(numbers.byteLength);
  const copy =
    numbers instanceof Uint8Array
      ? new Uint8Array(memory)
      : numbers instanceof Uint16Array
        ? new Uint16Array(memory)
        : new Uint32Array(memory);
  copy.set(numbers);
  return copy;
}
