import type { Knex } from "knex";

/** A user's alert for a server. */
export interface WantedAlert {
  what: "down" | "up" | "slot" | "queue" | "online";
  value?: number;
  outage_min?: number;
}

/** Makes a server a favorite of users who want these alerts of it. */
export async function wantAlerts(
  db: Knex,
  userIds: readonly number[],
  serverId: string,
  wanted: readonly WantedAlert[],
): Promise<void> {
  const favorites = userIds.map((user_id) => ({ user_id, server_id: serverId }));
  await db("server_favorites").insert(favorites).onConflict().ignore();
  // Asked for two days ago, so that they count for crossings of the past.
  const since = db.raw("now() - interval '2 days'");
  const alerts = favorites.flatMap((favorite) =>
    wanted.map(({ what, value = null, outage_min = 5 }) => ({ ...favorite, what, value, since, outage_min })),
  );
  if (alerts.length > 0) await db("server_alerts").insert(alerts);
}

/** What servers crossed, in order: `up`, `online 50`. */
export async function crossingsOf(db: Knex, serverId: string): Promise<string[]> {
  const rows: { what: string; value: number | null }[] = await db("server_crossings as crossing")
    .join("servers", "servers.number", "crossing.server_number")
    .where("servers.id", serverId)
    .orderBy("crossing.id")
    .select("crossing.what", "crossing.value");
  return rows.map(({ what, value }) => (value === null ? what : `${what} ${value}`));
}

/** Makes a server cross something now, or so many minutes ago. Resolves to the crossing's id. */
export async function addCrossing(
  db: Knex,
  serverId: string,
  { what, value = null }: { what: string; value?: number | null },
  {
    minutes = 0,
    ...figures
  }: { minutes?: number; online?: number; queue?: number; max_online?: number } = {},
): Promise<number> {
  const [crossing] = await db("server_crossings")
    .insert({
      server_number: db("servers").where({ id: serverId }).select("number"),
      ...{ what, value, ...figures },
      at: db.raw("clock_timestamp() - make_interval(mins => ?)", [minutes]),
    })
    .returning("id");
  return crossing.id;
}
