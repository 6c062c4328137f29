import { setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import { createKey } from "../../src/accounts/keys/queries.ts";
import type { Site } from "../site.ts";
import type { History } from "./history.ts";
import { any, openUser, type User } from "./readers.ts";

/** Milliseconds after which no process may take a key or a session that was withdrawn, or miss a toggle. */
const KNOWN_AFTER_MS = 1_000;
const PAGE = "/items/3";

interface Library {
  readonly db: Knex;
  readonly sites: readonly Site[];
  readonly history: History;
}

/** Toggles a favorite until `done` aborts. The same process must show it at once, all others a second later. */
export async function toggle(done: AbortSignal, { db, sites, history }: Library): Promise<void> {
  const user = await openUser(db, sites, "Toggler");
  for (let isFavorite = true; !done.aborted; isFavorite = !isFavorite) {
    const site = any(sites);
    const wanted = isFavorite ? "yes" : "no";
    const body = new URLSearchParams({ kind: "item", entity_id: "3", wanted });
    const answer = await fetch(`${site.url}/api/entity_favorites/toggle`, {
      method: "POST",
      headers: user.headers,
      body,
    });
    await answer.text();
    if (answer.status !== 200) history.fail(`the toggle was answered ${answer.status}`);
    await expectButton(site, user, { isFavorite, history });
    await pause(KNOWN_AFTER_MS);
    for (const other of sites) await expectButton(other, user, { isFavorite, history });
    history.count("toggle");
  }
}

async function expectButton(
  site: Site,
  user: User,
  { isFavorite, history }: { isFavorite: boolean; history: History },
): Promise<void> {
  const { text } = await read(site, PAGE, user.headers);
  if (!text.includes(`aria-pressed="${isFavorite}"`)) history.fail("a toggle was not on the page");
}

/** Withdraws keys and sessions that every process has just seen, until `done` aborts. */
export async function withdraw(done: AbortSignal, { db, sites, history }: Library): Promise<void> {
  for (let number = 0; !done.aborted; number++) {
    const user = await openUser(db, sites, `Goes_${number}`);
    const key = { "X-API-Key": String(await createKey(db, user.id, { name: "bench", expiry: "never" })) };
    for (const site of [...sites, ...sites, ...sites]) {
      if ((await read(site, "/api/data", key)).status !== 200) history.fail("a live key was refused");
      if (!(await read(site, PAGE, user.headers)).text.includes(user.name))
        history.fail("a session was lost");
    }
    await db("api_keys").where({ user_id: user.id }).delete();
    await db("sessions").where({ user_id: user.id }).delete();
    await pause(KNOWN_AFTER_MS);
    for (const site of sites) {
      if ((await read(site, "/api/data", key)).status !== 401) history.fail("a withdrawn key was taken");
      if ((await read(site, PAGE, user.headers)).text.includes(user.name)) history.fail("a session went on");
    }
    history.count("withdrawn key and session");
  }
}

async function read(
  { url }: Site,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url + path, { headers });
  return { status: answer.status, text: await answer.text() };
}
