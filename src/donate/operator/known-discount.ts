import type { Db } from "../../db/connect.ts";
import { notFound } from "../../http/errors.ts";
import { id as idSchema } from "../../http/params.ts";
import { findDiscount, type KnownDiscount } from "../discount-queries.ts";

/**
 * The discount that a path names.
 * @throws HttpError 404
 */
export async function findKnown(db: Db, id: string): Promise<KnownDiscount> {
  const known = idSchema().safeParse(id).success ? await findDiscount(db, id) : undefined;
  if (!known) throw notFound("discount");
  return known;
}
