import type { Knex } from "knex";

const KINDS = {
  items: "item",
  vehicles: "vehicle",
  scripts: "script",
  houses: "house",
  businesses: "business",
};

/** How many ids of one change are kept; the rest is only counted. */
const KEPT = 10;

/**
 * Finds an import's changes once for both notes, the site's and that of users' favorites: joining the records before
 * and after is the most expensive part. Otherwise the function is as before.
 */
export async function up(knex: Knex): Promise<void> {
  const words = Object.entries(KINDS).map(([kind, one]) => `when '${kind}' then '${one}'`);
  await knex.raw(`
    create or replace function note_entries_for_webhooks() returns trigger language plpgsql as $function$
    declare
      wanted text := case tg_op when 'INSERT' then 'entry_new' else 'entry_changed' end;
      word text;
    begin
      if not exists (select from webhooks where state = 'on' and wanted = any(events)) then return null; end if;
      if tg_op = 'INSERT' then
        insert into webhook_news (event, kind, total, ids)
        select wanted, tg_table_name, count(*),
               array(select id from after where not demo order by id limit ${KEPT})
          from after where not demo having count(*) > 0;
        return null;
      end if;
      word := case tg_table_name ${words.join(" ")} else (select one from own_kinds where kind = tg_table_name) end;
      execute $statement$
        with changed as materialized (
          select id from before b join after a using (id) where a.revision > b.revision and not a.demo),
        everything as (
          insert into webhook_news (event, kind, total, ids)
          select $1, $2, count(*), array(select id from changed order by id limit ${KEPT})
            from changed having count(*) > 0)
        insert into webhook_news (event, kind, user_id, total, ids)
        select $1, $2, f.user_id, count(*), (array_agg(f.entity_id order by f.entity_id))[1:${KEPT}]
          from (select distinct user_id from webhooks
                 where state = 'on' and scope = 'favorites' and $1 = any(events)) hook
            join entity_favorites f on f.user_id = hook.user_id and f.kind = $3
            join changed on changed.id = f.entity_id
         group by f.user_id order by f.user_id
      $statement$ using wanted, tg_table_name, word;
      return null;
    end $function$`);
}

/** The earlier function had the same result. */
export async function down(): Promise<void> {}
