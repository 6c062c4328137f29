/**
 * Asks a running site for every path of the interface with every kind of caller, and compares the status.
 * Usage: node test/smoke/every-path.ts http://127.0.0.1:3000
 * Prints a line for each path; exits 1 when one differs. Registers an account, and deletes it at the end.
 */
const CALLERS = ["nobody", "anonymous", "logged in", "header key", "query key", "revoked key"] as const;
type Caller = (typeof CALLERS)[number];

interface Identity {
  headers: Record<string, string>;
  query?: string;
}

interface Expectation {
  path: string;
  /** Sent by POST when given. */
  body?: Record<string, string>;
  /** Statuses in the order of CALLERS. */
  statuses: number[];
}

const OPEN = [200, 200, 200, 200, 200, 401];
const SESSION_OR_KEY = [401, 200, 200, 200, 200, 401];
const LOGIN = [401, 401, 200, 401, 401, 401];
/** Feeds and the sitemap do not look at keys. */
const PUBLIC = [200, 200, 200, 200, 200, 200];

const base = process.argv[2] ?? "http://127.0.0.1:3000";
const password = "a password for one minute";
const cookie = await register();
const identities = await identify(cookie);
const expectations = await listExpectations();
let differing = 0;
// One after the other: this asks who may do what, beside tests that keep the machine busy.
for (const expectation of expectations) if (!(await check(expectation))) differing++;
await sendForm("/profile/delete", { current_password: password, confirm: "yes" }, cookie);
process.stdout.write(
  `${expectations.length - differing} of ${expectations.length} paths answer as the interface says\n`,
);
process.exitCode = differing === 0 ? 0 : 1;

async function check({ path, body, statuses }: Expectation): Promise<boolean> {
  const told: string[] = [];
  let same = true;
  for (const [index, caller] of CALLERS.entries()) {
    const { status, text } = await ask(path, body, identities[caller]);
    const isRight = status === statuses[index];
    same &&= isRight;
    told.push(isRight ? `${caller} ${status}` : `${caller} ${status} (${text.slice(0, 300)})`);
  }
  process.stdout.write(`${same ? "ok  " : "BAD "} ${body ? "POST" : "GET "} ${path}: ${told.join(" · ")}\n`);
  return same;
}

async function ask(path: string, body: Record<string, string> | undefined, { headers, query }: Identity) {
  const url = new URL(path, base);
  if (query) url.searchParams.set("api_key", query);
  const init = body && {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...headers, "content-type": "application/json" },
  };
  const answer = await fetch(url, init ?? { headers });
  return { status: answer.status, text: await answer.text() };
}

async function listExpectations(): Promise<Expectation[]> {
  const [server, item] = [await firstServer(), await firstItem()];
  const donateItem =
    (await (await fetch(new URL("/sitemap.xml", base))).text()).match(/\/donate\/([^<]+)</)?.[1] ?? "";
  return [
    { path: "/api/search?q=in", statuses: OPEN },
    { path: "/api/items/search?q=in", statuses: SESSION_OR_KEY },
    { path: "/api/vehicles/search?q=in", statuses: SESSION_OR_KEY },
    { path: "/api/scripts/search?q=in", statuses: SESSION_OR_KEY },
    { path: "/api/data", statuses: SESSION_OR_KEY },
    { path: "/api/online", statuses: SESSION_OR_KEY },
    { path: "/api/nickname-generator?country=ru", statuses: OPEN },
    { path: "/api/favorites/toggle", body: { server_id: server }, statuses: LOGIN },
    {
      path: "/api/donate_favorites/toggle",
      body: { item_key: decodeURIComponent(donateItem) },
      statuses: LOGIN,
    },
    { path: "/api/entity_favorites/toggle", body: { kind: "item", entity_id: item }, statuses: LOGIN },
    { path: "/items.rss", statuses: PUBLIC },
    { path: "/discounts.rss", statuses: PUBLIC },
    { path: "/sitemap.xml", statuses: PUBLIC },
  ];
}

async function firstServer(): Promise<string> {
  const answer = await fetch(new URL("/api/online", base), { headers: identities["header key"].headers });
  const { servers } = (await answer.json()) as { servers: { server_id: string }[] };
  return servers[0]?.server_id ?? fail("there is no server");
}

async function firstItem(): Promise<string> {
  const answer = await fetch(new URL("/api/search?q=p&limit=1", base));
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items[0]?.id ?? fail("there is no item");
}

async function identify(session: string): Promise<Record<Caller, Identity>> {
  const anonymous = cookieOf(await fetch(new URL("/session", base)));
  const key = await createKey(session, "live");
  const revoked = await createKey(session, "revoked");
  await revokeNewestKey(session);
  return {
    nobody: { headers: {} },
    anonymous: { headers: { cookie: anonymous } },
    "logged in": { headers: { cookie: session } },
    "header key": { headers: { "x-api-key": key } },
    "query key": { headers: {}, query: key },
    "revoked key": { headers: { "x-api-key": revoked } },
  };
}

async function register(): Promise<string> {
  const name = `smoke-${Date.now().toString(36)}`;
  return cookieOf(await sendForm("/register", { name, password }));
}

async function createKey(session: string, name: string): Promise<string> {
  const page = await (await sendForm("/profile/keys", { name, expiry: "never" }, session)).text();
  return page.match(/alm_\w{36}/)?.[0] ?? fail("no key was shown");
}

async function revokeNewestKey(session: string): Promise<void> {
  const page = await (await fetch(new URL("/profile", base), { headers: { cookie: session } })).text();
  const action = page.match(/action="(\/profile\/keys\/\d+\/revoke)"/)?.[1] ?? fail("no key can be revoked");
  await sendForm(action, {}, session);
}

async function sendForm(path: string, fields: Record<string, string>, session = ""): Promise<Response> {
  const init = {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { cookie: session },
    redirect: "manual",
  } as const;
  const answer = await fetch(new URL(path, base), init);
  if (answer.status >= 400) fail(`POST ${path} answered ${answer.status}`);
  return answer;
}

function cookieOf(answer: Response): string {
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? fail(`${answer.url} set no cookie`);
}

function fail(message: string): never {
  throw new Error(message);
}
