import type { Knex } from "knex";
import { type Actor, recordAction, signRevision } from "../../../db/audit-queries.ts";
import type { Db } from "../../../db/connect.ts";
import { selectRows } from "../../../db/rows.ts";
import type { ThumbKind } from "../../../words/kinds/glyphs.ts";
import type { Pictured } from "../../picture.ts";

/** A record whose picture an operator may change. */
export interface PicturedRecord extends Pictured {
  readonly id: string;
  readonly name: string;
  readonly names: Record<string, string>;
}

/** `missing`: the record is gone. */
export type PictureOutcome = "changed" | "unchanged" | "missing";

export async function findPictured(db: Db, kind: ThumbKind, id: string): Promise<PicturedRecord | undefined> {
  const [found] = await selectRows<PicturedRecord>(
    db,
    "select id, name, names, picture, image from ?? where id = ?",
    [tableOf(kind), id],
  );
  return found;
}

/**
 * Sets or removes a record's picture by hand, as a new revision, and records the one that it replaces (see
 * `keepPictures` of the import).
 */
export async function changePicture(
  db: Knex,
  { kind, id, picture, by }: { kind: ThumbKind; id: string; picture: string | null; by?: Actor },
): Promise<PictureOutcome> {
  const table = tableOf(kind);
  return db.transaction(async (transaction) => {
    const [known] = await selectRows<{ picture: string | null }>(
      transaction,
      "select picture from ?? where id = ? for update",
      [table, id],
    );
    if (!known) return "missing";
    if (known.picture === picture) return "unchanged";
    await noteUpload(transaction, { table, id, picture, before: known.picture });
    await transaction.raw(
      `update ?? set picture = ?, revision = revision + 1,
              updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
        where id = ?`,
      [table, picture, id],
    );
    if (by) {
      const change = { before: { picture: known.picture }, after: { picture } };
      await recordAction(transaction, by, { action: "picture.changed", subject: `${kind}/${id}`, ...change });
      if (kind !== "shop") await signRevision(transaction, by, { kind, id });
    }
    return "changed";
  });
}

/** Keeps the imported picture even after several manual changes, because only an import can restore it. */
async function noteUpload(
  transaction: Knex.Transaction,
  {
    table,
    id,
    picture,
    before,
  }: { table: string; id: string; picture: string | null; before: string | null },
): Promise<void> {
  await transaction.raw(
    `insert into picture_uploads as u (kind, id, picture, replaced) values (:table, :id, :picture, :before)
     on conflict (kind, id) do update
       set replaced = case when u.picture is not distinct from excluded.replaced then u.replaced else excluded.replaced end,
           picture = excluded.picture`,
    { table, id, picture, before },
  );
}

function tableOf(kind: ThumbKind): string {
  return kind === "shop" ? "donate_items" : kind;
}
