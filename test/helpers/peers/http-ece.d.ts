/** As much of http_ece as the tests use; the package brings no types. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  /** Decrypts a whole body. @throws Error where it was not made for these keys */
  export function decrypt(
    body: Buffer,
    keys: { version: "aes128gcm"; privateKey: ECDH; authSecret: string },
  ): Buffer;
}
