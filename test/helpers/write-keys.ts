import type { Knex } from "knex";
import { grantScope } from "../../src/accounts/keys/grant-queries.ts";
import { createKey } from "../../src/accounts/keys/queries.ts";
import type { GrantedScope } from "../../src/words/scopes.ts";

/** A key of a user that may write. */
export async function addWriteKey(
  db: Knex,
  userId: number,
  scopes: readonly GrantedScope[] = ["write:records", "write:servers"],
): Promise<{ id: number; key: string }> {
  const key = String(await createKey(db, userId, { name: "writer", expiry: "never" }));
  const { id } = await db("api_keys").where({ user_id: userId }).orderBy("id", "desc").first("id");
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  for (const scope of scopes) await grantScope(db, { keyId: id, scope, day, by: null });
  return { id, key };
}
