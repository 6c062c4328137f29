import type { Knex } from "knex";
import * as dumps from "./20261126001100_create_dumps.ts";

/** Dumps are streamed from the records, so none is stored and no job makes one. */
export async function up(knex: Knex): Promise<void> {
  // On a new database the queue's schema is created after the migrations.
  await knex.raw(`
    do $$ begin
      if to_regproc('graphile_worker.remove_job') is not null then
        perform graphile_worker.remove_job('dump ' || kind) from catalogue_versions;
      end if;
    end $$`);
  await dumps.down(knex);
}

export async function down(knex: Knex): Promise<void> {
  await dumps.up(knex);
}
