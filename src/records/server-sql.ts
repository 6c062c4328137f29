/**
 * SQL: the name of a row `server`. If another server has the same name, it adds the game; if that is the same too, the
 * address: `Europe 2 (Rust)`.
 */
export const SHOWN_SERVER_NAME = `server.name || coalesce((
  select ' (' || nullif(concat_ws(', ', server.game,
           case when bool_or(twin.game is not distinct from server.game) then server.address end), '') || ')'
    from servers twin where twin.name = server.name and twin.id <> server.id having count(*) > 0), '')`;

/** SQL: whether the site polls a server. */
export const IS_POLLED = "(adapter is not null and paused_at is null)";

/** SQL: whether figures of a row `server` are still updated, by polls or imports, so that alerts are possible. */
export const IS_WATCHED =
  "(server.adapter is not null or server.demo or coalesce(server.checked_at > now() - interval '1 day', false))";
