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
import ejs from "ejs";
import express from "express";
import pg from "pg";

const BASELINES = ["bytes", "json", "row", "page"] as const;
export type BaselineName = (typeof BASELINES)[number];

/** The bodies of the site's answers. */
export interface Told {
  readonly bodies: readonly string[];
  readonly contentType: string;
}

const SPELLINGS = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };
const [databaseUrl = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
let bytes = Buffer.alloc(0);
let contentType = "";
let objects: unknown[] = [];
let parts: Part[] = [];
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

interface Part {
  readonly markup: string;
  readonly text: string;
}

/**
 * A page as a template's loop sends it again, byte for byte: markup as it stands, and after it a text that the template
 * escapes. A text that would come out otherwise (entities of another spelling, scripts, styles) stays in the markup.
 */
function cutPage(html: string): Part[] {
  const parts: Part[] = [];
  let markup = "";
  for (const [, tags = "", words = ""] of html.matchAll(/((?:<[^>]*>\s*)*)([^<]*)/g)) {
    const text = plain(words);
    markup += tags;
    if (text.trim() === "" || ejs.escapeXML(text) !== words) {
      markup += words;
      continue;
    }
    parts.push({ markup, text });
    markup = "";
  }
  parts.push({ markup, text: "" });
  return parts;
}

function plain(words: string): string {
  return words.replace(/&(?:lt|gt|#34|#39|amp);/g, (entity) => SPELLINGS[entity as keyof typeof SPELLINGS]);
}
