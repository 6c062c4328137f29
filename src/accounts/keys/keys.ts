import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/**
 * The form of every API key, for secret scanners: `alm_`, 30 random characters (178 bits) and 6 digits of checksum.
 * The checksum is the CRC-32 of those 30 in base 62 (0-9A-Za-z), most significant first. The checksum identifies a
 * key without a database. Modelled on
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
 */
export const KEY_PATTERN = /^alm_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Creates a random key. It is shown once and never stored. */
export function generateKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () =>
    ALPHABET.charAt(randomInt(ALPHABET.length)),
  ).join("");
  return `alm_${random}${checksum(random)}`;
}

/** True for a well-formed key with the right checksum, live or not. */
export function isWellFormedKey(text: string): boolean {
  const [, random, sum] = KEY_PATTERN.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** The stored form of a key. A fast hash is enough for long random text. */
export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** The part of a key that its owner recognises it by. */
export function keyPrefix(key: string): string {
  return key.slice(0, "alm_".length + 4);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
