import type { Knex } from "knex";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { createUser } from "../../src/accounts/queries.ts";
import { enter, type Site } from "../site.ts";
import { HIGHEST_PRICE } from "./changes.ts";
import type { History, Stream } from "./history.ts";

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

/** What a path shows: the numbers of each stream in its text. */
const MARKS: Record<Stream, RegExp> = {
  items: /\bi(\d+)i\b/g,
  imported: /\bc(\d+)c\b/g,
  servers: /\bv(\d+)v\b/g,
  shop: /\bs(\d+)s\b/g,
  sale: /\b(\d+)\.37\b/g,
};

/** It has former numbers on purpose. */
const HISTORY = /<details class="history-folded">.*?<\/details>/s;

const PATHS: readonly (readonly [path: string, ...shown: Stream[]])[] = [
  ["/", "items", "servers", "shop", "sale"],
  ["/items", "items"],
  ["/items/3", "items"],
  ["/ru/items/4", "items"],
  ["/items.rss", "items"],
  ["/vehicles", "imported"],
  ["/vehicles/5", "imported"],
  ["/search?q=car", "imported"],
  ["/api/search?q=gun", "items"],
  ["/servers", "servers"],
  ["/servers/2", "servers"],
  ["/api/data", "servers"],
  ["/donate", "shop", "sale"],
  ["/donate/1", "shop", "sale"],
  ["/donate/2", "shop"],
  ["/discounts.rss", "shop", "sale"],
];

interface Library {
  readonly sites: readonly Site[];
  readonly people: readonly Reader[];
  readonly history: History;
}

/** A visitor, somebody with a key, and three who are logged in. */
export async function openReaders(db: Knex, sites: readonly Site[]): Promise<readonly Reader[]> {
  const names = ["Reader_One", "Reader_Two", "Reader_Three"];
  const users = await Promise.all(names.map((name) => openUser(db, sites, name)));
  const key = String(await createKey(db, users[0]?.id ?? 0, { name: "bench", expiry: "never" }));
  const { headers } = await fetch(`${sites[0]?.url}/session`);
  const visitor = { name: undefined, headers: { Cookie: headers.getSetCookie()[0]?.split(";")[0] ?? "" } };
  return [visitor, visitor, visitor, { name: undefined, headers: { "X-API-Key": key } }, ...users];
}

/** A new user with a session. */
export async function openUser(db: Knex, [site]: readonly Site[], name: string): Promise<User> {
  const password = `the password of ${name}`;
  const id = await createUser(db, { name, password });
  if (id === undefined || !site) throw new Error("the database is not empty, or there is no site");
  return { id, name, headers: { Cookie: await enter(site.url, "/login", { name, password }) } };
}

/** Asks for one page after the other until `done` aborts. */
export async function readUntil(done: AbortSignal, library: Library): Promise<void> {
  const { sites, people, history } = library;
  while (!done.aborted) {
    const [path, ...shown] = any(PATHS);
    const reader = any(people);
    const began = performance.now();
    const answer = await fetch(any(sites).url + path, { headers: reader.headers });
    const text = (await answer.text()).replace(HISTORY, "");
    if (answer.status !== 200) {
      history.fail(`${path} was answered ${answer.status}`);
      continue;
    }
    for (const stream of shown) history.judge(stream, path, numbersIn(text, stream), began);
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
    if (isPage) judgeNames(text, path, reader, library);
  }
}

function numbersIn(text: string, stream: Stream): number[] {
  // A revision's history shows earlier names as well; the page's heading has the current one.
  const shown = text.replace(/<section[^>]*history.*?<\/section>/gs, "").replace(/(?<=\d),(?=\d{3})/g, "");
  const numbers = [...shown.matchAll(MARKS[stream])].map(([, number]) => Number(number));
  return stream === "sale" ? numbers.map((price) => HIGHEST_PRICE - price) : numbers;
}

/** A page must have its reader's name, and nobody else's. */
function judgeNames(text: string, path: string, reader: Reader, { people, history }: Library): void {
  for (const { name } of people) {
    if (name === undefined || text.includes(name) === (name === reader.name)) continue;
    const how = name === reader.name ? "lacks" : "has";
    history.fail(`${path} for ${reader.name ?? "a visitor"} ${how} ${name}`);
  }
}

export function any<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
