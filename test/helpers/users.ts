import type { Knex } from "knex";

/** Adds a user who cannot log in; resolves to the user's id. */
export async function addUser(db: Knex, name: string): Promise<number> {
  const user = { name, name_key: name.toLowerCase(), password_hash: "$argon2id$x" };
  const [{ id }] = await db("users").insert(user).returning("id");
  return id;
}
