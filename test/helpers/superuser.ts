import { readPassword, SUPERUSER } from "../../src/db/embedded/cluster.ts";
import { connectionUrl } from "../../src/db/embedded/site-role.ts";

/** The address of a directory's database for its superuser, from the site's. */
export async function superuserUrl(directory: string, url: string): Promise<string> {
  return connectionUrl(SUPERUSER, await readPassword(directory), Number(new URL(url).port));
}
