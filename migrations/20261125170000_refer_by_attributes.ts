import type { Knex } from "knex";

/**
 * References held by attributes. The site copies from its vocabulary into `reference_attributes` the attributes that
 * name entries of a kind. Triggers derive `attribute_relations` in the transaction that changes a record: a row like
 * those of `relations` for each entry that a record names, with the kind `<kind>.<attribute>`.
 *
 * The column `said` has the attribute's value: an id, or the name of exactly one entry. The column `to_id` is the
 * entry's id, or the value itself while no entry matches. The view `all_relations` is a plain `union all` of both
 * tables, so that Postgres uses the indexes of both.
 */
export async function up(knex: Knex): Promise<void> {
  await createTables(knex);
  await createReading(knex);
  await createStatements(knex);
  await createTrigger(knex);
  for (const kind of await kinds(knex)) await addTriggers(knex, kind);
}

async function createTables(knex: Knex): Promise<void> {
  await knex.raw(`
    create table reference_attributes (
      kind text collate "C" not null,
      one text collate "C" not null,
      key text collate "C" not null,
      to_kind text collate "C" not null,
      to_one text collate "C" not null,
      is_list boolean not null,
      id_field text collate "C" not null,
      count_field text collate "C" not null,
      primary key (kind, key)
    )`);
  await knex.raw(`
    create table attribute_relations (
      from_kind text collate "C" not null,
      from_id text collate "C" not null,
      kind text collate "C" not null,
      said text collate "C" not null,
      to_kind text collate "C" not null,
      to_id text collate "C" not null,
      count numeric check (count > 0),
      position integer not null,
      primary key (kind, from_id, said)
    )`);
  await knex.raw(`
    create index attribute_relations_from
        on attribute_relations (from_kind, from_id, kind, position, to_kind, to_id)`);
  await knex.raw(
    "create index attribute_relations_to on attribute_relations (to_kind, to_id, kind, from_kind, from_id)",
  );
  await knex.raw("create index attribute_relations_said on attribute_relations (to_kind, said)");
  await knex.raw(`
    create view all_relations as
      select from_kind, from_id, kind, to_kind, to_id, count, chance, position from relations
      union all
      select from_kind, from_id, kind, to_kind, to_id, count, null::numeric, position from attribute_relations`);
  for (const event of ["insert", "update", "delete"]) {
    const rows = event === "delete" ? "old" : "new";
    await knex.raw(`
      create trigger note_${event} after ${event} on attribute_relations referencing ${rows} table as touched
      for each statement execute function note_relation_change()`);
  }
}

/**
 * Resolves a value as src/words/vocabulary/references.ts does; a test compares the two. The first two functions are
 * bare expressions, which Postgres inlines into the third.
 */
async function createReading(knex: Knex): Promise<void> {
  await knex.raw(`
    create function reference_text(value jsonb) returns text language sql immutable as $$
      select case jsonb_typeof(value)
        when 'string' then
          case when char_length(btrim(value #>> '{}', E' \\t\\n\\r\\f\\v')) between 1 and 300
            then btrim(value #>> '{}', E' \\t\\n\\r\\f\\v') end
        when 'number' then
          case when value::numeric % 1 = 0 and abs(value::numeric) <= 9007199254740991
            then trunc(value::numeric)::text end end
    $$`);
  await knex.raw(`
    create function reference_count(value jsonb) returns numeric language sql immutable as $$
      select case jsonb_typeof(value)
        when 'number' then case when value::numeric > 0 and value::numeric <= 1e12 then value::numeric end
        when 'string' then case when value #>> '{}' ~ '^[0-9]{1,13}(\\.[0-9]{1,6}){0,1}$'
          then case when (value #>> '{}')::numeric > 0 and (value #>> '{}')::numeric <= 1e12
            then (value #>> '{}')::numeric end end end
    $$`);
  await knex.raw(`
    create function references_in(value jsonb, is_list boolean, id_field text, count_field text)
    returns table (said text, count numeric, "position" integer) language sql immutable as $$
      select said, case when count(*) = 1 then max(count) else least(sum(coalesce(count, 1)), 1e12) end,
             min(place)::integer
        from (select reference_text(case jsonb_typeof(part) when 'object' then part -> id_field else part end) as said,
                     case jsonb_typeof(part) when 'object' then reference_count(part -> count_field) end as count,
                     place
                from jsonb_array_elements(
                       case when jsonb_typeof(value) = 'array' then value
                            when jsonb_typeof(value) = 'string' and is_list
                              then to_jsonb(string_to_array(value #>> '{}', ','))
                            else jsonb_build_array(value) end) with ordinality parts (part, place)) read
       where said is not null
       group by said
    $$`);
}

/**
 * The statements are texts: a trigger's transition tables are visible to what it executes, not to functions it calls.
 */
async function createStatements(knex: Knex): Promise<void> {
  await knex.raw(`
    create function add_references_statement(source text, only_key text default null) returns text
    language sql immutable as $$
      select format('insert into attribute_relations (from_kind, from_id, kind, said, to_kind, to_id, count, position)
        select d.one, e.id, d.kind || ''.'' || d.key, v.said, d.to_one, v.said, v.count, v.position
          from reference_attributes d
         cross join %s e
         cross join lateral references_in(e.attributes -> d.key, d.is_list, d.id_field, d.count_field) v
         where d.kind = $1 and e.attributes -> d.key is not null and %s',
        source, case when only_key is null then 'true' else format('d.key = %L', only_key) end)
    $$`);
  await knex.raw(`
    create function resolve_references_statement(target text, target_one text, condition text) returns text
    language sql immutable as $$
      select format('update attribute_relations r set to_id = named.id
        from (select t.said, coalesce(
                       (select e.id from %1$I e where e.id = t.said),
                       (select min(n.id) from (
                          select e.id from %1$I e where e.name collate name_order = t.said limit 2) n having count(*) = 1),
                       t.said) as id
                from (select distinct said from attribute_relations where to_kind = %2$L and %3$s) t) named
       where r.to_kind = %2$L and r.said = named.said and r.to_id <> named.id',
        target, target_one, condition)
    $$`);
  await knex.raw(`
    create function make_references(of_kind text, of_key text) returns void language plpgsql as $$
    declare meant record;
    begin
      execute add_references_statement(quote_ident(of_kind), of_key) using of_kind;
      select to_kind, to_one into strict meant from reference_attributes where kind = of_kind and key = of_key;
      execute resolve_references_statement(meant.to_kind, meant.to_one,
                                           format('kind = %L', of_kind || '.' || of_key));
    end $$`);
}

/**
 * Writers share the first lock and a change of `reference_attributes` takes it alone, so that it misses no record.
 * Transactions that change references run one by one, so that each resolves names against the latest records.
 */
async function createTrigger(knex: Knex): Promise<void> {
  await knex.raw(`
    create function follow_references() returns trigger language plpgsql as $$
    declare
      own text[];
      target_one text;
      meant record;
      changed text := '(select a.id, a.attributes from after a left join before b using (id)
        where exists (select from reference_attributes d
                       where d.kind = $1 and a.attributes -> d.key is distinct from b.attributes -> d.key))';
      gone text := '(select b.id from before b left join after a using (id)
        where exists (select from reference_attributes d
                       where d.kind = $1 and a.attributes -> d.key is distinct from b.attributes -> d.key))';
      renamed text := '((select id, name from before except select id, name from after)
        union all (select id, name from after except select id, name from before))';
    begin
      perform pg_advisory_xact_lock_shared(hashtext('almanac reference attributes'));
      select array_agg(d.kind || '.' || d.key) into own from reference_attributes d where d.kind = tg_table_name;
      select d.to_one into target_one from reference_attributes d where d.to_kind = tg_table_name limit 1;
      if own is null and target_one is null then return null; end if;
      if tg_op in ('INSERT', 'DELETE') then
        if not exists (select from touched) then return null; end if;
        changed := 'touched';
        gone := 'touched';
        renamed := 'touched';
      elsif tg_op = 'UPDATE' then
        if not exists (select from after a left join before b using (id)
                        where b.id is null or a.name <> b.name or a.attributes <> b.attributes) then
          return null;
        end if;
      end if;
      perform pg_advisory_xact_lock(hashtext('almanac references'));
      if tg_op = 'TRUNCATE' then
        delete from attribute_relations where kind = any(own);
        update attribute_relations set to_id = said where to_kind = target_one and to_id <> said;
        return null;
      end if;
      if own is not null then
        if tg_op <> 'INSERT' then
          execute format('delete from attribute_relations r using %s e where r.kind = any($2) and r.from_id = e.id', gone)
            using tg_table_name::text, own;
        end if;
        if tg_op <> 'DELETE' then
          execute add_references_statement(changed) using tg_table_name::text;
          for meant in select distinct d.to_kind, d.to_one from reference_attributes d where d.kind = tg_table_name loop
            execute resolve_references_statement(meant.to_kind, meant.to_one,
              format('kind = any($2) and from_id in (select id from %s e)', changed)) using tg_table_name::text, own;
          end loop;
        end if;
      end if;
      if target_one is not null then
        execute resolve_references_statement(tg_table_name, target_one,
          format('said in (select id from %1$s e union select name collate "C" from %1$s e)', renamed));
      end if;
      return null;
    end $$`);
}

const TRIGGERS = {
  insert: "referencing new table as touched",
  delete: "referencing old table as touched",
  update: "referencing old table as before new table as after",
  truncate: "",
} as const;

async function addTriggers(knex: Knex, kind: string): Promise<void> {
  for (const [event, tables] of Object.entries(TRIGGERS)) {
    await knex.raw(
      `create trigger refer_after_${event} after ${event} on ?? ${tables}
                    for each statement execute function follow_references()`,
      [kind],
    );
  }
}

/** All kinds, including an operator's own. `add_catalogue_kind` copies the triggers of `scripts` for later ones. */
async function kinds(knex: Knex): Promise<string[]> {
  return knex("catalogue_versions").orderBy("kind").pluck("kind");
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of await kinds(knex)) {
    for (const event of Object.keys(TRIGGERS))
      await knex.raw("drop trigger ?? on ??", [`refer_after_${event}`, kind]);
  }
  await knex.raw("drop function follow_references()");
  await knex.raw("drop function make_references(text, text)");
  await knex.raw("drop function resolve_references_statement(text, text, text)");
  await knex.raw("drop function add_references_statement(text, text)");
  await knex.raw("drop view all_relations");
  await knex.schema.dropTable("attribute_relations");
  await knex.schema.dropTable("reference_attributes");
  await knex.raw("drop function references_in(jsonb, boolean, text, text)");
  await knex.raw("drop function reference_count(jsonb)");
  await knex.raw("drop function reference_text(jsonb)");
}
