import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { useTestApp } from "../helpers/app.ts";

import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { addEntity } from "../helpers/things.ts";

const site = useTestApp();

it("a client that leaves while its session is looked up leaves no connection of the database in use", async () => {
  await addEntity(site.db, "items", "knife", { name: "Knife" });
  const { agent } = await site.logIn();
  for (let n = 0; n < 3; n++) await agent.get("/items/knife").expect(200);
  const cookie = agent.jar.getCookies({ domain: "127.0.0.1", path: "/", secure: false, script: false });
  const server = createServer(site.app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const ending = await openTransaction(site.db);
  await ending("sessions").delete();
  await ending.raw("lock table sessions in access exclusive mode");
  const headers = { Cookie: cookie.toValueString() };
  const left = get({ port: (server.address() as AddressInfo).port, path: "/items/knife", headers });
  left.on("error", () => undefined);
  await waitForLocks(site.db, 1);
  left.destroy();
  await delay(100);
  await ending.commit();
  await delay(300);
  expect(site.db.client.pool.numUsed()).toBe(0);
});
