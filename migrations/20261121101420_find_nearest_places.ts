import type { Knex } from "knex";

const KINDS = ["houses", "businesses"];

/** The pairs of attributes that hold coordinates (src/records/position.ts). The first complete pair counts. */
const SPELLINGS = [
  ["x", "y"],
  ["pos_x", "pos_y"],
  ["position,x", "position,y"],
  ["position,0", "position,1"],
];
const COORDINATE = "^-{0,1}[0-9]{1,7}([.][0-9]{1,30}){0,1}$";

/** A record's position as a point, with an index that finds its nearest neighbours without reading the other rows. */
export async function up(knex: Knex): Promise<void> {
  const cases = SPELLINGS.map((paths) => {
    const [x, y] = paths.map((path) => `attributes #>> '{${path}}'`);
    return `when ${x} ~ '${COORDINATE}' and ${y} ~ '${COORDINATE}' then point((${x})::float8, (${y})::float8)`;
  });
  await knex.raw(`
    create function place_among(attributes jsonb) returns point language sql immutable parallel safe as $$
      select case ${cases.join(" ")} end
    $$`);
  for (const kind of KINDS) {
    await knex.raw(`create index ${kind}_place on ${kind} using gist (place_among(attributes))`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) await knex.raw(`drop index ${kind}_place`);
  await knex.raw("drop function place_among(jsonb)");
}
