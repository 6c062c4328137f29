/**
 * A value with all of its text in NFC, keys of objects included: "é" may be one code point or two that look the same, and
 * the site would take them for different ids, keys and values. What comes from outside passes here once.
 */
export function toNfc(value: unknown): unknown {
  return isNfc(value) ? value : normalised(value);
}

/** Nearly all text is NFC, so nearly nothing is copied. */
function isNfc(value: unknown): boolean {
  if (typeof value === "string") return value.normalize("NFC") === value;
  if (typeof value !== "object" || value === null) return true;
  for (const key in value) {
    if (key.normalize("NFC") !== key || !isNfc((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function normalised(value: unknown): unknown {
  if (typeof value === "string") return value.normalize("NFC");
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(normalised);
  // From entries: assigning to a key "__proto__" would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.normalize("NFC"), normalised(each)]),
  );
}

/** A character of ASCII, in a component of an address, and those after it that are not. */
const BEYOND_ASCII = /(?:%[2-7][\da-f]|\w)?(?:%[89a-f][\da-f])+/gi;

/** A byte that is not ASCII, encoded: few addresses have any, and the longer pattern is slow to find none. */
const ENCODED = /%[89a-f]/i;

/** The path and query of an address with all of their text in NFC. Parts without another form stay as they are. */
export function addressToNfc(address: string): string {
  if (!ENCODED.test(address)) return address;
  return address.replace(BEYOND_ASCII, (written) => {
    try {
      const text = decodeURIComponent(written);
      const nfc = text.normalize("NFC");
      return nfc === text ? written : encodeURIComponent(nfc);
    } catch {
      return written; // no UTF-8
    }
  });
}
