/**
 * Paging by keys: a page begins after the sort values of the last record of the page before, not after a number of
 * records. Records that come, go or change meanwhile move no others between pages.
 * https://use-the-index-luke.com/no-offset
 */

/** One column of an order. */
export interface KeyColumn {
  /** SQL with its bindings. */
  readonly sql: string;
  readonly bindings?: readonly string[];
  readonly type: "text" | "numeric" | "double precision" | "timestamptz" | "boolean";
  readonly descending?: true;
  /** It may be null, and then comes last in both directions. */
  readonly hasNulls?: true;
}

/** The sort values of one record as texts, a column each. */
export type Keys = readonly (string | null)[];

/** A condition or an order, with its bindings. */
export interface Sql {
  readonly sql: string;
  readonly bindings: string[];
}

/** The order of a list. Its last column must tell all records apart. */
export function orderOf(columns: readonly KeyColumn[]): Sql {
  const parts = columns.map(
    ({ sql, descending, hasNulls }) => sql + (descending ? " desc" : "") + (hasNulls ? " nulls last" : ""),
  );
  return { sql: parts.join(", "), bindings: columns.flatMap(({ bindings = [] }) => bindings) };
}

/** A JSON array of the sort values of a row, exactly as they are stored. */
export function keysOf(columns: readonly KeyColumn[]): Sql {
  const texts = columns.map(({ sql, type }) =>
    type === "timestamptz"
      ? `to_char((${sql}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : // Texts of several collations cannot stand together.
        `(${sql})::text collate "C"`,
  );
  return { sql: `json_build_array(${texts.join(", ")})`, bindings: orderOf(columns).bindings };
}

/** The condition for rows that come after the one with these keys. */
export function afterKeys(columns: readonly KeyColumn[], keys: Keys): Sql {
  if (columns.every(({ descending, hasNulls }) => !descending && !hasNulls)) return afterAsRow(columns, keys);
  const steps = columns.map((column, place): Sql => {
    const same = columns.slice(0, place).map((other, at) => equals(other, keys[at] ?? null));
    return joined([...same, isAfter(column, keys[place] ?? null)], " and ");
  });
  const either = joined(steps, " or ");
  const bound = boundOf(columns[0], keys[0] ?? null);
  return bound ? joined([bound, either], " and ") : either;
}

/** Postgres finds this place in an index of the same columns at once. */
function afterAsRow(columns: readonly KeyColumn[], keys: Keys): Sql {
  const { bindings } = orderOf(columns);
  const left = columns.map(({ sql }) => sql).join(", ");
  const right = columns.map(({ type }) => `?::${type}`).join(", ");
  return { sql: `(${left}) > (${right})`, bindings: [...bindings, ...keys.map((key) => key ?? "")] };
}

/** What holds of all rows after the keys, for an index that begins with the first column. */
function boundOf(first: KeyColumn | undefined, key: string | null): Sql | undefined {
  if (!first || first.hasNulls || key === null) return undefined;
  return compared(first, first.descending ? "<=" : ">=", key);
}

function isAfter(column: KeyColumn, key: string | null): Sql {
  // Nulls come last, so nothing but other nulls follows one.
  if (key === null) return { sql: "false", bindings: [] };
  const beyond = compared(column, column.descending ? "<" : ">", key);
  if (!column.hasNulls) return beyond;
  const none = { sql: `${column.sql} is null`, bindings: [...(column.bindings ?? [])] };
  return joined([beyond, none], " or ");
}

function equals(column: KeyColumn, key: string | null): Sql {
  if (key !== null) return compared(column, "=", key);
  return { sql: `${column.sql} is null`, bindings: [...(column.bindings ?? [])] };
}

function compared({ sql, bindings = [], type }: KeyColumn, operator: string, key: string): Sql {
  return { sql: `${sql} ${operator} ?::${type}`, bindings: [...bindings, key] };
}

function joined(parts: readonly Sql[], by: string): Sql {
  return {
    sql: `(${parts.map(({ sql }) => sql).join(by)})`,
    bindings: parts.flatMap(({ bindings }) => bindings),
  };
}
