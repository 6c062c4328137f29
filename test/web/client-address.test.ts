import { createServer } from "node:http";
import express from "express";
import fc from "fast-check";
import request from "supertest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clientAddress, withoutPort } from "../../src/web/server/client-address.ts";

const SETTINGS = [false, 1, 2, ["loopback"], ["loopback", "10.0.0.0/8", "2001:db8::/32"]];
const apps = SETTINGS.map((setting) => {
  const app = express().set("trust proxy", setting);
  const ours = (req: Parameters<typeof clientAddress>[0]) => clientAddress(req, app.get("trust proxy fn"));
  app.get("/", (req, res) => void res.json([ours(req), withoutPort(String(req.ip))]));
  return createServer(app);
});
beforeAll(() =>
  Promise.all(apps.map((app) => new Promise<void>((done) => app.listen(0, "127.0.0.1", done)))),
);
afterAll(() => Promise.all(apps.map((app) => app.close())));

const WRITTEN = ["10.0.0.1", "203.0.113.7", "203.0.113.7:50001", "[2001:db8::1]:443", "2001:db8::2"];
const hop = fc.oneof(fc.constantFrom(...WRITTEN, "unknown", ""), fc.ipV4(), fc.ipV6());

it("finds the address that Express finds, before Express", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: SETTINGS.length - 1 }),
      fc.option(fc.array(hop, { maxLength: 4 })),
      fc.constantFrom(",", ", ", " ,  "),
      async (which, hops, comma) => {
        const asked = request(apps[which] as (typeof apps)[number]).get("/");
        const { body } = await (hops ? asked.set("X-Forwarded-For", hops.join(comma)) : asked);
        expect(body[0]).toBe(body[1]);
      },
    ),
    { numRuns: 300 },
  );
});
