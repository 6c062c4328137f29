import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { catalogueKinds } from "../../words/kinds/kinds.ts";
import type { SitemapKind } from "./build-sitemap.ts";

const KEY = "indexnow";

/** How long a process holds its claim, in seconds: longer than a submission takes, but short if it dies. */
const TURN_S = 120;

/** The last change that was sent: its time as text, to the microsecond, its kind and id. */
export interface LastSubmitted {
  readonly at: string;
  readonly kind: string;
  readonly id: string;
}

export interface ChangedPage {
  readonly kind: SitemapKind;
  readonly id: string;
}

/**
 * Claims the next submission; undefined while another process has it, or during the pause. The first one begins with
 * the present.
 */
export async function claimTurn(db: Knex): Promise<LastSubmitted | undefined> {
  await db.raw(
    `insert into settings (key, value) values (?, jsonb_build_object('at', now()::text, 'kind', '', 'id', '', 'free_at', now()))
     on conflict (key) do nothing`,
    [KEY],
  );
  const [row] = await selectRows<LastSubmitted>(
    db,
    `update settings set value = value || jsonb_build_object('free_at', now() + :turn * interval '1 second')
      where key = :key and (value ->> 'free_at')::timestamptz <= now()
     returning value ->> 'at' as at, value ->> 'kind' as kind, value ->> 'id' as id`,
    { key: KEY, turn: TURN_S },
  );
  return row;
}

/** Releases the claim, with a pause of some seconds. */
export async function endTurn(db: Knex, { at, kind, id }: LastSubmitted, pauseS: number): Promise<void> {
  await db.raw(
    `update settings set updated_at = now(), value = jsonb_build_object('at', :at::text, 'kind', :kind::text, 'id', :id::text,
                                        'free_at', now() + :pause * interval '1 second')
      where key = :key`,
    { key: KEY, at, kind, id, pause: pauseS },
  );
}

/**
 * The changes after one change, oldest first, and how far they reach. A change gets its time before its transaction
 * ends. So this only lists changes that are older than every open transaction, because no other change can come between
 * them. Leaves out demo records.
 */
export async function listChangedPages(
  db: Db,
  told: LastSubmitted,
  limit: number,
): Promise<{ pages: ChangedPage[]; reached: LastSubmitted }> {
  const changed = [
    ...catalogueKinds().map((kind) => source(kind, kind)),
    source("donate", "donate_items"),
    "select kind, id, removed_at as at from catalogue_tombstones where removed_at >= :at and record is not null and kind = any(:kinds::text[])",
  ];
  const rows = await selectRows<LastSubmitted & ChangedPage>(
    db,
    `select kind, id, at::text as at
       from (${changed.join(" union all ")}) change
      where (at, kind collate "C", id collate "C") > (cast(:at as timestamptz), :kind, :id)
        and at < (select least(now(), min(xact_start)) from pg_stat_activity
                   where datname = current_database() and backend_xid is not null)
      order by at, kind collate "C", id collate "C" limit :limit`,
    { ...told, limit, kinds: catalogueKinds() },
  );
  const last = rows.at(-1);
  return {
    pages: rows.map(({ kind, id }) => ({ kind, id })),
    reached: last ? { at: last.at, kind: last.kind, id: last.id } : told,
  };
}

function source(kind: SitemapKind, table: string): string {
  return `select '${kind}' as kind, id, updated_at as at from ${table} where updated_at >= :at and not demo`;
}
