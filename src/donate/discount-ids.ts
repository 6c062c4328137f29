import { randomBytes } from "node:crypto";
import { slugOf } from "../records/slug.ts";

/** `autumn-sale-1f8a2c40` of a text: says what it is, and is nobody else's. */
export function makeDiscountId(text: string): string {
  const slug = slugOf(text).slice(0, 60).replace(/-$/, "");
  return [slug, randomBytes(4).toString("hex")].filter((part) => part !== "").join("-");
}
