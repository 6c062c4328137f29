import { randomUUID } from "node:crypto";
import { insertUser } from "../accounts/queries.ts";
import type { Db } from "../db/connect.ts";
import { toggleFavorite } from "../favorites/queries.ts";

/** Nobody logs in with it: the user is gone before anybody else could see it. */
const NO_PASSWORD = "$argon2id$none";

/**
 * Adds a user whose favorites are these records, for examples in the API's document; a notification comes with a
 * favorite that is on sale. To be called in a transaction that is rolled back.
 */
export async function addExampleUser(
  transaction: Db,
  records: { items: string | null; discounted: string | null },
): Promise<number> {
  const id = await insertUser(transaction, { name: randomUUID().slice(0, 32) }, NO_PASSWORD);
  if (id === undefined) throw new Error("somebody has the example's name");
  const { items, discounted } = records;
  if (items !== null) await toggleFavorite(transaction, id, "item", items);
  if (discounted !== null) await toggleFavorite(transaction, id, "donate", discounted);
  return id;
}
