import type { Knex } from "knex";
import { onTestFinished } from "vitest";

/**
 * Makes Postgres refuse a write such as "insert on users", as a full disk does, until `accept` or the end of the test.
 */
export async function refuseWrites(
  db: Knex,
  write: string,
  code = "53100",
): Promise<{ accept(): Promise<void> }> {
  await db.raw(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '${code}'; end $$;
    create trigger refuse before ${write} for each row execute function refuse()`);
  const accept = async () => void (await db.raw("drop function if exists refuse cascade"));
  onTestFinished(accept);
  return { accept };
}
