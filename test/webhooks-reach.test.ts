import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { post } from "../src/webhooks/post.ts";
import { type Reach, readAddress } from "../src/webhooks/reach.ts";

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
const reach = (more: Partial<Reach> = {}): Reach => ({ receivers: [], ports: [victim.port], ...more });
const asked: string[] = [];

/** A name server of the attacker's: what each name says the first time, the second … */
const LIES: Record<string, string[][]> = {
  "loopback.evil.example": [["127.0.0.1"]],
  "six.evil.example": [["::1"]],
  "mapped.evil.example": [["::ffff:127.0.0.1"]],
  "translated.evil.example": [["64:ff9b::7f00:1"]],
  "six-to-four.evil.example": [["2002:7f00:1::"]],
  "metadata.evil.example": [["169.254.169.254"]],
  "unspecified.evil.example": [["0.0.0.0"]],
  "one-of-two.evil.example": [["93.184.215.14", "127.0.0.1"]],
  "last-of-three.evil.example": [["2606:2800:21f::1", "93.184.215.14", "::1"]],
  "zone.evil.example": [["fe80::1%lo"]],
  "text.evil.example": [["localhost"]],
  "nobody.evil.example": [[]],
};
const resolve = async (host: string) => {
  asked.push(host);
  const [first = [], ...later] = LIES[host] ?? [];
  if (later.length > 0) LIES[host] = later;
  return first.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

const own = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal }) => !internal)
  .map(({ address, family }) => (family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address));

const HOSTS = [
  ...["127.0.0.1", "127.1", "127.0.1", "127.0.0.1.", "127.255.255.254", "2130706433", "0x7f000001"],
  ...["0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"],
  ...["0.0.0.0", "0", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::7f00:1]", "[::127.0.0.1]", "[::ffff:0:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]"],
  ...["[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]"],
  ...["[ff02::1]", "[ff01::1]", "169.254.169.254", "169.254.1.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"],
  ...["100.64.0.1", "224.0.0.1", "239.255.255.250", "255.255.255.255", "198.18.0.1", "240.0.0.1"],
  ...["localhost", "LOCALHOST", "localhost.", "any.localhost", "printer.local", "metadata.google.internal"],
  ...own,
  ...Object.keys(LIES),
];

describe("an address of a webhook", () => {
  it.each(HOSTS)("https://%s reaches nothing", async (host) => {
    const url = `https://${host}:${victim.port}/secrets`;
    await expect(post(url, MESSAGE, reach({ resolve }), 2_000)).rejects.toThrow(/^not_public$/);
    expect(victim.connections).toBe(0);
  });

  it("is one of more than forty", () => {
    expect(HOSTS.length).toBeGreaterThan(60);
    expect(asked).toEqual(expect.arrayContaining(Object.keys(LIES)));
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
    const loopback = reach({
      isPublic: () => true,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    expect(readAddress(of(victim.port), loopback)).toEqual({ fault });
    await expect(post(of(victim.port), MESSAGE, loopback, 2_000)).rejects.toThrow("not_public");
    expect(victim.connections).toBe(0);
  });

  it("may be any of https on the usual port, and loses its fragment", () => {
    const read = readAddress(" https://Receiver.Example/hook?key=1#top ", { receivers: [] });
    expect(read).toEqual({ url: new URL("https://receiver.example/hook?key=1") });
  });
});

describe("a name whose addresses change", () => {
  it("gets a connection to the address that was checked, or none", async () => {
    const visited: string[] = [];
    const servers = await Promise.all([listen("127.0.0.1", 0, visited)]);
    const port = servers[0]?.port ?? 0;
    servers.push(await listen("127.0.0.2", port, visited));
    const answers = ["127.0.0.2", "127.0.0.1", "127.0.0.2"];
    const changing: Reach = {
      receivers: [],
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

describe("a receiver that the operator has named", () => {
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
    const named = { receivers: [origin] };
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await post(`${origin}/${status}`, MESSAGE, named, 2_000)).toMatchObject({ status });
      await expect(post(`${origin}/${status}`, MESSAGE, { receivers: [] }, 2_000)).rejects.toThrow(
        "not_public",
      );
    }
    expect(visits).toBe(5);
    expect(victim.connections).toBe(0);
  });

  it("shows that the victim is there to be reached", async () => {
    const named = { receivers: [`https://127.0.0.1:${victim.port}`] };
    await expect(post(`https://127.0.0.1:${victim.port}/`, MESSAGE, named, 2_000)).rejects.toThrow("broken");
    expect(victim.connections).toBe(1);
    const everything = reach({ isPublic: () => true, resolve });
    await expect(post(`https://[::1]:${victim.port}/`, MESSAGE, everything, 2_000)).rejects.toThrow("broken");
    expect(victim.connections).toBe(2);
    victim.connections = 0;
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
    const answer = await post(`${origin}/`, MESSAGE, { receivers: [origin] });
    expect(answer.status).toBe(500);
    expect(answer.text.length).toBe(4_096);
    await expect(post(`${origin}/silent`, MESSAGE, { receivers: [origin] }, 200)).rejects.toThrow(
      "timeout 0.2",
    );
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
