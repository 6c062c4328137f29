import { isUtf8 } from "node:buffer";
import querystring, { type ParsedUrlQuery } from "node:querystring";

/** The encoding of the game's scripts on Windows in Russian, where every byte is a character. */
const WINDOWS = new TextDecoder("windows-1251");

/**
 * Parses a query string. Percent-encoded bytes are read as UTF-8, or as Windows-1251 if they are no valid UTF-8,
 * because SA-MP sends a search in the script's encoding. The number of parameters has no limit, so that none is
 * ignored, such as a wrong key.
 */
export function parseQuery(query: string): ParsedUrlQuery {
  return querystring.parse(query, "&", "=", { maxKeys: 0, decodeURIComponent: decodeText });
}

/** The name of one parameter of a query string, from `name=value` as sent. */
export function parameterName(parameter: string): string {
  const [name = ""] = parameter.split("=", 1);
  return /[%+]/.test(name) ? (Object.keys(parseQuery(name))[0] ?? "") : name;
}

function decodeText(encoded: string): string {
  if (!encoded.includes("%")) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    const bytes = decodeBytes(encoded);
    return isUtf8(bytes) || isCutShort(bytes) ? bytes.toString() : WINDOWS.decode(bytes);
  }
}

/** An invalid percent sign, as in `100%`, stays as it is. */
function decodeBytes(encoded: string): Buffer {
  const byte = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return Buffer.from(encoded.replace(/%([\da-f]{2})/gi, byte), "latin1");
}

/** Whether this is UTF-8, beyond ASCII, whose last character is incomplete, as after cutting at a number of bytes. */
function isCutShort(bytes: Buffer): boolean {
  return [1, 2, 3].some((missing) => {
    const whole = bytes.subarray(0, -missing);
    return isUtf8(whole) && whole.some((byte) => byte >= 0x80);
  });
}
