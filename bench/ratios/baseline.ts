/**
 * The baselines: bare apps in one process, each on its own port, that send what they get.
 *
 *   bytes: node:http and the bytes
 *   json: Express and `res.json` of the objects, in turn
 *   row: the same after one SELECT by primary key, through a pool of ten connections
 *   page: Express and EJS with the view cache on, from data that is ready in memory
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import express from "express";
import pg from "pg";
import { cutPage } from "./cut-page.ts";

const BASELINES = ["bytes", "json", "row", "page"] as const;
export type BaselineName = (typeof BASELINES)[number];

/** The bodies of the site's answers. */
export interface Told {
  readonly bodies: readonly string[];
  readonly contentType: string;
}

const [databaseUrl = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
let bytes = Buffer.alloc(0);
let contentType = "";
let objects: unknown[] = [];
let parts: ReturnType<typeof cutPage> = [];
let next = 0;

process.on("message", ({ bodies, contentType: type }: Told) => {
  bytes = Buffer.from(bodies[0] ?? "");
  contentType = type;
  objects = type.includes("json") ? bodies.map((body) => JSON.parse(body)) : [];
  parts = type.includes("html") ? cutPage(bodies[0] ?? "") : [];
  process.send?.("ready");
});
process.on("disconnect", () => process.exit());

const servers: Record<BaselineName, Server> = {
  bytes: createServer((_req, res) => {
    res.writeHead(200, { "Content-Type": contentType, "Content-Length": bytes.length });
    res.end(bytes);
  }),
  json: createServer(express().get("/", (_req, res) => void res.json(nextObject()))),
  row: createServer(
    express().get("/:id", async (req, res) => {
      await pool.query("select * from items where id = $1", [req.params.id]);
      res.json(nextObject());
    }),
  ),
  page: createServer(
    express()
      .set("view engine", "ejs")
      .set("views", path.join(import.meta.dirname))
      .enable("view cache")
      .get("/", (_req, res) => res.render("page", { parts })),
  ),
};
const ports = await Promise.all(BASELINES.map(async (name) => [name, await listen(servers[name])] as const));
process.send?.(Object.fromEntries(ports));

function nextObject(): unknown {
  next = (next + 1) % objects.length;
  return objects[next];
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
