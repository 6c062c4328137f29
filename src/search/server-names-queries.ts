import type { Db } from "../db/connect.ts";

/** What a server can be found by. */
interface ServerNames {
  id: string;
  name: string;
  game: string | null;
  address: string | null;
}

/** The names of all servers. */
export function listServerNames(db: Db): Promise<ServerNames[]> {
  return db("servers").select("id", "name", "game", "address");
}
