import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { createUser } from "../../src/accounts/queries.ts";
import { type Site, startSite } from "../ratios/servers.ts";

/** Somebody who asks, and what identifies them. */
export interface Reader {
  /** Undefined for a visitor. */
  readonly name: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Somebody with an account. */
export interface User extends Reader {
  readonly id: number;
  readonly name: string;
}

/** Does some work with so many processes of one site. */
export async function withSites(
  url: string,
  count: number,
  work: (sites: readonly Site[]) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
  const sites: Site[] = [];
  try {
    // In one directory, for the secret that signs their sessions.
    for (let n = 0; n < count; n++) sites.push(await startSite(url, directory));
    await work(sites);
  } finally {
    await Promise.all(sites.map((site) => site.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** A visitor, somebody with a key, and three who are logged in. */
export async function openReaders(db: Knex, sites: readonly Site[]): Promise<readonly Reader[]> {
  const names = ["Reader_One", "Reader_Two", "Reader_Three"];
  const users = await Promise.all(names.map((name) => openUser(db, sites, name)));
  const key = String(await createKey(db, users[0]?.id ?? 0, { name: "bench", expiry: "never" }));
  const visitor = { name: undefined, headers: { Cookie: sites[0]?.cookie ?? "" } };
  return [visitor, visitor, visitor, { name: undefined, headers: { "X-API-Key": key } }, ...users];
}

/** A new user with a session. */
export async function openUser(db: Knex, [site]: readonly Site[], name: string): Promise<User> {
  if (!site) throw new Error("no site");
  const password = `the password of ${name}`;
  const id = await createUser(db, { name, password });
  if (id === undefined) throw new Error("the database is not empty");
  return { id, name, headers: { Cookie: await logIn(site, name, password) } };
}

async function logIn(site: Site, name: string, password: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${site.port}/login`, {
    method: "POST",
    body: new URLSearchParams({ name, password }),
    redirect: "manual",
  });
  const [cookie] = answer.headers.getSetCookie();
  if (answer.status !== 303 || !cookie) throw new Error(`the log-in was answered ${answer.status}`);
  return cookie.split(";")[0] ?? "";
}
