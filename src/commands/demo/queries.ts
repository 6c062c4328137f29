import type { Db } from "../../db/connect.ts";

/**
 * Gives demo records of a kind their pictures, by id, but for those whose picture an operator chose. It is no change of
 * what they say, so they keep their revision.
 */
export async function writePictures(
  db: Db,
  kind: string,
  pictures: ReadonlyMap<string, string>,
): Promise<void> {
  const table = kind.replaceAll("-", "_");
  await db.raw(
    `update ${table} t set picture = s.picture
       from unnest(cast(:ids as text[]), cast(:pictures as text[])) s (id, picture)
      where t.id = s.id and t.demo and t.picture is distinct from s.picture
        and not exists (select from picture_uploads u
                         where u.kind = :table and u.id = t.id and u.picture is not distinct from t.picture)`,
    { table, ids: [...pictures.keys()], pictures: [...pictures.values()] },
  );
}
