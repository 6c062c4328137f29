import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { Metrics } from "../../src/web/metrics/metrics.ts";
import { guardConnections } from "../../src/web/server/connections.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { namedRecords } from "../helpers/search.ts";

const metrics = new Metrics();
const site = useTestApp({}, () => ({ metrics }));

/** The site with all that listens to its answers, as `serve` puts it together. */
let server: Server;
let headers: Record<string, string>;

beforeAll(async () => {
  await insertRecords(site.db, "items", namedRecords(2_000));
  const { id } = await site.createUser();
  headers = { "X-API-Key": String(await createKey(site.db, id, { name: "a key", expiry: "never" })) };
  server = createServer((req, res) => site.app(req, res));
  guardConnections(server, pino({ level: "silent" }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

async function ask(path: string, encoding: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const request = get({ port, path, headers: { ...headers, "Accept-Encoding": encoding } });
  const [res] = (await once(request, "response")) as [IncomingMessage];
  return res;
}

describe("an answer that is sent while it is made", () => {
  it("ends with a client that leaves, and gives its slot to the next one", async () => {
    for (let n = 0; n < 3; n += 1) (await ask("/items.csv", "identity")).destroy();
    const res = await ask("/items.csv", "identity");
    expect(res.statusCode).toBe(200);
    res.resume();
    await once(res, "end");
  });
});
