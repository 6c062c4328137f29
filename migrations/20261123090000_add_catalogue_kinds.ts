import type { Knex } from "knex";

/**
 * Adds functions that create and drop a kind of the catalogue. `add_catalogue_kind('skins', 'skin', placed => true,
 * favorite => true)` copies the current table of `scripts`, the plainest kind, with indexes and triggers. A kind with
 * positions also gets the map's indexes of `houses`. They live in the database, so that a migration that calls them
 * never changes. The import, which knows the kinds, now checks the kind of a shop item's entry.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table donate_items drop constraint donate_items_entity_kind_check");
  await knex.raw(`
    create function copy_kind_indexes(source regclass, kind text, without regclass default null) returns void
    language plpgsql as $$
    declare definition text;
    begin
      for definition in
        select pg_get_indexdef(indexrelid) from pg_index
         where indrelid = source and not indisprimary
           and substr(indexrelid::regclass::text, length(source::text) + 1) not in (
                 select substr(indexrelid::regclass::text, length(without::text) + 1)
                   from pg_index where indrelid = without)
      loop
        execute regexp_replace(definition, format('INDEX %s_(\\w+) ON (\\S+\\.){0,1}%s ', source, source),
                               format('INDEX %s_\\1 ON %s ', kind, kind));
      end loop;
    end $$`);
  await knex.raw(`
    create function set_favorite_kinds() returns void language plpgsql as $$
    declare columns text[]; words text;
    begin
      select array_agg(attname::text order by attnum), string_agg(format('when %I is not null then %L', attname,
               regexp_replace(attname, '_id$', '')), ' ' order by attnum)
        into columns, words
        from pg_attribute
       where attrelid = 'entity_favorites'::regclass and attnum > 0 and not attisdropped
         and attgenerated = '' and attname like '%\\_id' and attname <> 'user_id';
      execute format('alter table entity_favorites
        add column kind text generated always as (case %s end) stored,
        add column entity_id text collate "C" generated always as (coalesce(%s)) stored,
        add primary key (user_id, kind, entity_id),
        add constraint entity_favorites_one check (num_nonnulls(%s) = 1)',
        words, array_to_string(columns, ', '), array_to_string(columns, ', '));
    end $$`);
  await knex.raw(`
    create function add_catalogue_kind(kind text, one text, placed boolean default false, favorite boolean default false)
    returns void language plpgsql as $$
    declare definition text;
    begin
      execute format('create table %I (like scripts including all excluding indexes, primary key (id))', kind);
      perform copy_kind_indexes('scripts', kind);
      if placed then perform copy_kind_indexes('houses', kind, without => 'scripts'); end if;
      insert into catalogue_versions (kind) values (kind);
      for definition in
        select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'scripts'::regclass and not tgisinternal
      loop
        execute regexp_replace(definition, ' ON (\\S+\\.){0,1}scripts ', format(' ON %I ', kind));
      end loop;
      if favorite then
        alter table entity_favorites drop column kind, drop column entity_id, drop constraint entity_favorites_one;
        execute format('alter table entity_favorites add column %I text collate "C" references %I on delete cascade',
                       one || '_id', kind);
        execute format('create index on entity_favorites (%I) where %I is not null', one || '_id', one || '_id');
        perform set_favorite_kinds();
      end if;
    end $$`);
  await knex.raw(`
    create function remove_catalogue_kind(kind text, one text) returns void language plpgsql as $$
    begin
      if exists (select from pg_attribute
                  where attrelid = 'entity_favorites'::regclass and attname = one || '_id' and not attisdropped) then
        execute format('delete from entity_favorites where %I is not null', one || '_id');
        alter table entity_favorites drop column kind, drop column entity_id, drop constraint entity_favorites_one;
        execute format('alter table entity_favorites drop column %I', one || '_id');
        perform set_favorite_kinds();
      end if;
      execute format('drop table %I', kind);
      delete from catalogue_revisions r where r.kind = remove_catalogue_kind.kind;
      delete from catalogue_facets f where f.kind = remove_catalogue_kind.kind;
      delete from catalogue_versions v where v.kind = remove_catalogue_kind.kind;
    end $$`);
  await knex.raw(
    "alter table entity_favorites rename constraint entity_favorites_check to entity_favorites_one",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table entity_favorites rename constraint entity_favorites_one to entity_favorites_check",
  );
  await knex.raw("drop function remove_catalogue_kind(text, text)");
  await knex.raw("drop function add_catalogue_kind(text, text, boolean, boolean)");
  await knex.raw("drop function set_favorite_kinds()");
  await knex.raw("drop function copy_kind_indexes(regclass, text, regclass)");
  await knex.raw(`
    alter table donate_items add constraint donate_items_entity_kind_check
      check (entity_kind in ('item', 'vehicle', 'script', 'house', 'business'))`);
}
