import { Agent, type IncomingMessage, request } from "node:http";
import { createKey } from "../../src/api-keys/queries.ts";
import { createDb } from "../../src/db/connect.ts";
import type { RunningSite } from "../site.ts";

/** The user that the demo data comes with. */
const OPERATOR = 1;

/** What is asked, and by whom. `{n}` becomes a number that was not there before. */
export interface Kind {
  readonly path: string;
  readonly by?: "key" | "user" | "another user";
  readonly form?: Readonly<Record<string, string>>;
}

export const KINDS = {
  "a page": { path: "/items/weapon-24" },
  "a list": { path: "/items" },
  "the servers' figures": { path: "/servers" },
  "a logged-in page": { path: "/items/weapon-24", by: "user" },
  "a feed": { path: "/items.rss" },
  "an API answer with a key": { path: "/api/data", by: "key" },
  "a search": { path: "/api/search?q=gold" },
  "a search never made before": { path: "/api/search?q=gold{n}" },
  "never made before": { path: "/items/none-{n}" },
  "a toggle": {
    path: "/api/entity_favorites/toggle",
    // Whoever has just written is looked up again, and is not known where that fails.
    by: "another user",
    form: { kind: "item", entity_id: "weapon-24" },
  },
  "a log-in": { path: "/login", form: { name: "nobody{n}", password: "not their password" } },
  "/healthz": { path: "/healthz" },
  "/readyz": { path: "/readyz" },
} satisfies Record<string, Kind>;

export interface Answer {
  readonly status: number;
  readonly hasAge: boolean;
  readonly hasRetryAfter: boolean;
}

/** Logs in, makes a key, and returns what asks; an answer with the status 0 is an error of the connection. */
export async function openAsker(
  site: RunningSite,
  databaseUrl: string,
): Promise<(kind: Kind) => Promise<Answer>> {
  const agent = new Agent({ keepAlive: true });
  const headersOf = { key: { "X-API-Key": "" }, user: { cookie: "" }, "another user": { cookie: "" } };
  let number = 0;
  const send = ({ path, by, form }: Kind) => {
    number += 1;
    const fill = (text: string) => text.replaceAll("{n}", String(number));
    const options = {
      agent,
      method: form ? "POST" : "GET",
      headers: {
        "accept-encoding": "br",
        ...(by && headersOf[by]),
        ...(form && { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" }),
      },
    };
    return new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(new URL(fill(path), site.url), options, (answer) => {
        answer
          .resume()
          .on("end", () => resolve(answer))
          .on("error", reject);
      });
      asked.on("error", reject);
      asked.end(form && fill(new URLSearchParams(form).toString()));
    });
  };
  headersOf.user.cookie = cookieOf(await send({ path: "/login", form: site.login }));
  const another = { name: "Toggles", password: "a password for one minute" };
  headersOf["another user"].cookie = cookieOf(await send({ path: "/register", form: another }));
  const db = createDb({ url: databaseUrl });
  headersOf.key["X-API-Key"] = String(await createKey(db, OPERATOR, { name: "bench", expiry: "never" }));
  await db.destroy();
  return (kind) =>
    send(kind).then(
      ({ statusCode = 0, headers }) => ({
        status: statusCode,
        hasAge: headers.age !== undefined,
        hasRetryAfter: headers["retry-after"] !== undefined,
      }),
      () => ({ status: 0, hasAge: false, hasRetryAfter: false }),
    );
}

function cookieOf({ headers }: IncomingMessage): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}
