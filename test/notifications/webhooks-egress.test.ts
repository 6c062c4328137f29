import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readAddress, type WebhookEgressPolicy } from "../../src/notifications/webhooks/address.ts";
import { post } from "../../src/notifications/webhooks/post.ts";
import { INTERNET } from "../../src/web/egress/policy.ts";
import { LOOPBACK, openOnly } from "../helpers/egress.ts";
import { SWITCHES } from "../helpers/peers/json-list.ts";
import { LYING_NAMES, lyingResolver, PRIVATE_HOSTS } from "../helpers/private-hosts.ts";

const MESSAGE = { headers: {}, body: "{}" };

/** A program on this machine that nobody on the Internet should reach; counts connections on all of its addresses. */
let victim: { server: Server; port: number; connections: number };

beforeAll(async () => {
  const server = createServer((socket) => {
    victim.connections += 1;
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  victim = { server, port: (server.address() as AddressInfo).port, connections: 0 };
});
afterAll(() => victim.server.close());

/** Lets through what the site lets through, but at the victim's port, which nobody may use otherwise. */
const egress = (more: Partial<WebhookEgressPolicy> = {}): WebhookEgressPolicy => ({
  opened: [],
  ports: [victim.port],
  ...more,
});
const asked: string[] = [];
const resolve = lyingResolver(asked);

describe("an address of a webhook", () => {
  it.each(PRIVATE_HOSTS)("https://%s reaches nothing", async (host) => {
    const url = `https://${host}:${victim.port}/secrets`;
    await expect(post(url, MESSAGE, egress({ resolve }), 2_000)).rejects.toThrow(/^not_public$/);
    expect(victim.connections).toBe(0);
  });

  it("is one of more than sixty", () => {
    expect(PRIVATE_HOSTS.length).toBeGreaterThan(60);
    expect(asked).toEqual(expect.arrayContaining(LYING_NAMES));
  });

  it.each([
    ["not_https", (port: number) => `http://receiver.example:${port}/`],
    ["port", () => "https://receiver.example:22/"],
    ["port", () => "https://receiver.example/"],
    ["credentials", (port: number) => `https://user:password@receiver.example:${port}/`],
    ["credentials", (port: number) => `https://user@receiver.example:${port}/`],
    ["not_url", (port: number) => `ftp://receiver.example:${port}/`],
    ["not_url", (port: number) => `//receiver.example:${port}/`],
    ["not_url", () => "file:///etc/passwd"],
    ["not_url", () => "receiver.example"],
    ["not_url", (port: number) => `https://receiver.example:${port}/${"a".repeat(1000)}`],
  ])("is refused: %s", async (fault, of) => {
    const loopback = egress({
      isPublic: () => true,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    expect(readAddress(of(victim.port), loopback)).toEqual({ fault });
    await expect(post(of(victim.port), MESSAGE, loopback, 2_000)).rejects.toThrow("not_public");
    expect(victim.connections).toBe(0);
  });

  it("may be any of https on the usual port, and loses its fragment", () => {
    const read = readAddress(" https://Receiver.Example/hook?key=1#top ", INTERNET);
    expect(read).toEqual({ url: new URL("https://receiver.example/hook?key=1"), isOpenedOnly: false });
  });
});

describe("a name whose addresses change", () => {
  it("gets a connection to the address that was checked, or none", async () => {
    const visited: string[] = [];
    const servers = await Promise.all([listen("127.0.0.1", 0, visited)]);
    const port = servers[0]?.port ?? 0;
    servers.push(await listen("127.0.0.2", port, visited));
    const answers = ["127.0.0.2", "127.0.0.1", "127.0.0.2"];
    const changing: WebhookEgressPolicy = {
      opened: [],
      ports: [port],
      // As if only 127.0.0.2 were on the Internet.
      isPublic: (address) => address === "127.0.0.2",
      resolve: async () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }],
    };
    const attempt = () => post(`https://changing.evil.example:${port}/`, MESSAGE, changing, 2_000);
    await expect(attempt()).rejects.toThrow(/^(broken|tls)/);
    await expect(attempt()).rejects.toThrow("not_public");
    await expect(attempt()).rejects.toThrow(/^(broken|tls)/);
    await expect(attempt()).rejects.toThrow("not_public");
    expect(visited).toEqual(["127.0.0.2", "127.0.0.2"]);
  });
});

describe("a receiver that the operator has opened", () => {
  it("may be on this machine and without TLS, but leads nowhere else", async () => {
    let visits = 0;
    const redirecting = createHttpServer((req, res) => {
      visits += 1;
      const status = Number(req.url?.slice(1));
      res.writeHead(status, { location: `http://127.0.0.1:${victim.port}/secrets` }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void redirecting.close());
    const origin = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const named = openOnly(origin);
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await post(`${origin}/${status}`, MESSAGE, named, 2_000)).toMatchObject({ status });
      await expect(post(`${origin}/${status}`, MESSAGE, INTERNET, 2_000)).rejects.toThrow("not_public");
    }
    expect(visits).toBe(5);
    expect(victim.connections).toBe(0);
  });

  it("may have a name, which leads to no other address than those opened", async () => {
    const local = `http://localhost:${victim.port}/`;
    await expect(post(local, MESSAGE, LOOPBACK, 2_000)).rejects.toThrow("broken");
    expect(victim.connections).toBe(1);
    const other = { opened: [{ range: "127.0.0.2/32", port: undefined }] };
    await expect(post(local, MESSAGE, other, 2_000)).rejects.toThrow("not_opened");
    const oneOfTwo = { ...LOOPBACK, resolve: lyingResolver() };
    const mixed = `http://one-of-two.evil.example:${victim.port}/`;
    await expect(post(mixed, MESSAGE, oneOfTwo, 2_000)).rejects.toThrow("not_opened");
    expect(victim.connections).toBe(1);
    victim.connections = 0;
  });

  it("shows that the victim is there to be reached", async () => {
    const named = openOnly(`https://127.0.0.1:${victim.port}`);
    await expect(post(`https://127.0.0.1:${victim.port}/`, MESSAGE, named, 2_000)).rejects.toThrow("broken");
    expect(victim.connections).toBe(1);
    const everything = egress({ isPublic: () => true, resolve });
    await expect(post(`https://[::1]:${victim.port}/`, MESSAGE, everything, 2_000)).rejects.toThrow("broken");
    expect(victim.connections).toBe(2);
    victim.connections = 0;
  });
});

describe("a receiver that switches to another protocol", () => {
  it("has failed, and holds up nothing", async () => {
    const switching = createServer((socket) => void socket.on("error", () => undefined).end(SWITCHES));
    await new Promise<void>((resolve) => switching.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void switching.close());
    const origin = `http://127.0.0.1:${(switching.address() as AddressInfo).port}`;
    await expect(post(`${origin}/`, MESSAGE, openOnly(origin))).rejects.toThrow("broken");
  });
});

describe("a receiver that answers without end", () => {
  it("is left once enough of it was read, or after the time", async () => {
    const endless = createHttpServer((req, res) => {
      if (req.url === "/silent") return;
      res.writeHead(500);
      const timer = setInterval(() => res.write("x".repeat(1_000)), 1);
      res.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      endless.closeAllConnections();
      endless.close();
    });
    const origin = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const answer = await post(`${origin}/`, MESSAGE, openOnly(origin));
    expect(answer.status).toBe(500);
    expect(answer.text.length).toBe(4_096);
    await expect(post(`${origin}/silent`, MESSAGE, openOnly(origin), 200)).rejects.toThrow("timeout 0.2");
  });
});

async function listen(address: string, port: number, visited: string[]) {
  const server = createServer((socket) => {
    visited.push(address);
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}
