import type { Db } from "../../../db/connect.ts";
import { findUserId } from "../../queries.ts";
import { findKeysByPrefix } from "../grant-queries.ts";
import { keyPrefix } from "../keys.ts";

/** A live key found by its owner and prefix, or why none was found. */
export type FoundKey =
  | { readonly id: number; readonly userId: number; readonly name: string }
  | "no_owner"
  | "no_key"
  | "several_keys";

/** Finds a key by its owner's name and the part that the owner's page shows: `alm_Ab12`, with or without the rest. */
export async function findKey(db: Db, owner: string, beginning: string): Promise<FoundKey> {
  const userId = await findUserId(db, owner);
  if (userId === undefined) return "no_owner";
  const [key, other] = await findKeysByPrefix(db, userId, keyPrefix(beginning.trim()));
  if (other) return "several_keys";
  return key ? { ...key, userId } : "no_key";
}
