import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/settings/config.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { freePort } from "../helpers/free-port.ts";

const DOCS = new URL("../../docs/operate.md", import.meta.url);

/** A cache before the site on `backend`, set up by the lines of docs/operate.md. */
type Start = (folder: string, ports: { own: number; backend: number }) => Promise<ChildProcess>;

const startNginx: Start = async (folder, { own, backend }) => {
  const lines = (await linesOf("nginx"))
    .replace("listen 80;", `listen 127.0.0.1:${own};`)
    .replace("127.0.0.1:3000", `127.0.0.1:${backend}`)
    .replace("/var/cache/nginx/almanac", `${folder}/cache`);
  const file = path.join(folder, "nginx.conf");
  const main = `user root; daemon off; error_log stderr; pid ${folder}/pid; events {}`;
  await writeFile(file, `${main}\nhttp { access_log off;\n${lines}\n}`);
  return spawn("nginx", ["-p", folder, "-c", file], { stdio: ["ignore", "ignore", "inherit"] });
};

const startVarnish: Start = async (folder, { own, backend }) => {
  const file = path.join(folder, "site.vcl");
  await writeFile(file, (await linesOf("vcl")).replace('"3000"', `"${backend}"`));
  const args = ["-F", "-j", "none", "-a", `127.0.0.1:${own}`, "-f", file, "-n", folder, "-s", "malloc,32m"];
  return spawn("varnishd", args, { stdio: ["ignore", "ignore", "inherit"] });
};

/** The block of docs/operate.md in a language. */
async function linesOf(language: string): Promise<string> {
  const [, lines] =
    new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(await readFile(DOCS, "utf8")) ?? [];
  if (lines === undefined) throw new Error(`docs/operate.md has no ${language}`);
  return lines;
}

describe.each([
  ["nginx", startNginx],
  ["Varnish", startVarnish],
])("%s before the site", (_name, start) => {
  const site = useTestApp({ announcements: loadConfig({ ANNOUNCEMENT: "Repairs tonight" }).announcements });
  let folder: string;
  let server: Server;
  let cache: ChildProcess;
  let url: string;
  /** The requests to the site, except the cache's own checks. */
  let asked: string[] = [];
  let isDown = false;

  beforeAll(async () => {
    await insertRecords(site.db, "items", [{ id: "gun", name: "Gun" }]);
    folder = await mkdtemp(path.join(tmpdir(), "almanac-cache-"));
    server = createServer((req, res) => {
      if (isDown) return void req.socket.destroy();
      if (req.url !== "/healthz") asked.push(req.url ?? "");
      site.app(req, res);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const [own, backend] = [await freePort(), (server.address() as AddressInfo).port];
    url = `http://127.0.0.1:${own}`;
    cache = await start(folder, { own, backend });
    await answers(`${url}/robots.txt`);
  }, 40_000);
  afterAll(async () => {
    cache.kill("SIGTERM");
    await once(cache, "exit");
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** How many of the work's requests reached the site. */
  async function askedBy(work: () => Promise<unknown>): Promise<number> {
    asked = [];
    await work();
    return asked.length;
  }

  const get = (path: string, headers: Record<string, string> = {}) => request(url).get(path).set(headers);

  it("asks once for a page that many visitors read, whatever their cookies", async () => {
    const count = await askedBy(async () => {
      for (let n = 0; n < 5; n++) {
        const { headers } = await request(site.app).get("/session");
        const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
        await get("/items/gun?one", { Cookie: `theme=${n}; ${cookie}` })
          .expect(200)
          .expect(/Gun/);
      }
    });
    expect(count).toBe(1);
  });

  it("hides an announcement from who has dismissed it, and from nobody else", async () => {
    const agent = request.agent(url);
    const shows = async (by: Pick<typeof agent, "get">) =>
      (await by.get("/items?dismissed").expect(200)).text.includes("Repairs tonight");
    expect([await shows(agent), await shows(request(url))]).toEqual([true, true]);
    const id = /name="id" value="(\w+)"/.exec((await agent.get("/items")).text)?.[1];
    await agent.post("/announcements").type("form").send({ id }).expect(303);
    for (let n = 0; n < 3; n++)
      expect([await shows(agent), await shows(request(url))]).toEqual([false, true]);
    // Also where a cache has other lines than ours.
    const cookie = `almanac.dismissed=${id}`;
    const { headers } = await request(site.app).get("/items").set("Cookie", cookie).expect(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
  });

  it("keeps a page for each language and encoding", async () => {
    for (let n = 0; n < 2; n++) {
      await get("/items?each", { "Accept-Language": "ru" }).expect("Content-Language", "ru");
      await get("/items?each", { "Accept-Language": "en" }).expect("Content-Language", "en");
      await get("/items?each", { "Accept-Encoding": "gzip" }).expect("Content-Encoding", "gzip");
      const plain = await get("/items?each", { "Accept-Encoding": "identity" });
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(plain.text).toContain("</html>");
    }
  });

  it("gives no visitor the page of somebody who is logged in, and the other way round", async () => {
    const user = await site.createUser();
    const agent = request.agent(url);
    await agent.get("/items/gun?two").expect(200);
    await agent.post("/login").type("form").send({ name: user.name, password: user.password }).expect(303);
    const count = await askedBy(async () => {
      for (let n = 0; n < 3; n++) {
        expect((await agent.get("/items/gun?two")).text).toContain(user.name);
        expect((await get("/items/gun?two")).text).not.toContain(user.name);
      }
    });
    expect(count).toBeGreaterThanOrEqual(3);
  });

  it("keeps nothing of the API, of sessions, or of forms", async () => {
    const count = await askedBy(async () => {
      for (let n = 0; n < 2; n++) {
        await get("/api/search?q=gun").expect(200);
        await get("/api/items/search?q=gun").expect(401);
        await get("/session").expect(200);
        await request(url).post("/login").type("form").send({ name: "nobody" }).expect(400);
      }
    });
    expect(count).toBe(8);
  });

  it("still has the page when the site is away", async () => {
    await get("/items/gun?three").expect(200);
    await setTimeout(6_000);
    isDown = true;
    server.closeAllConnections();
    // Varnish finds out by its probe.
    await setTimeout(4_000);
    await get("/items/gun?three").expect(200).expect(/Gun/);
    isDown = false;
  });
});

/** Resolves when an address is answered. */
async function answers(address: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await setTimeout(200);
  }
  throw new Error(`${address} is not answered`);
}
