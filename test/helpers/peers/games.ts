import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from "node:net";
import { freePort } from "../free-port.ts";

/** A game server's peer on 127.0.0.1. */
export interface GamePeer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A UDP server that answers each packet with what `reply` makes of it; undefined: nothing. */
export async function startUdpPeer(
  reply: (request: Buffer) => Buffer | undefined,
  port = 0,
  host = "127.0.0.1",
): Promise<GamePeer> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  socket.on("message", (request, from) => {
    const answer = reply(request);
    if (answer) socket.send(answer, from.port, from.address);
  });
  socket.bind(port, host);
  await once(socket, "listening");
  return {
    port: socket.address().port,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** A TCP server that does with each connection what `serve` does. */
export async function startTcpPeer(serve: (socket: Socket) => void): Promise<GamePeer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    serve(socket);
  });
  await listen(server, 0);
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

export interface SourceInfo {
  online: number;
  maximum: number;
  bots?: number;
  appId?: number;
  tags?: string;
  /** Ends right after the version, as servers without an extra data flag do. */
  bare?: boolean;
  /** What follows the counts is cut off: the last zero is missing, or the port that a flag announces. */
  cut?: "zero" | "port";
}

/**
 * A Source server's A2S_INFO behind its challenge (https://developer.valvesoftware.com/wiki/Server_queries); the
 * queries of players and rules stay unanswered, as with many hosts.
 */
export function startSourcePeer(info: SourceInfo, port = 0): Promise<GamePeer> {
  const challenge = Buffer.from([0x11, 0x22, 0x33, 0x44]);
  return startUdpPeer((request) => {
    if (request[4] !== 0x54) return undefined;
    const isChallenged = request.subarray(-4).equals(challenge);
    return isChallenged ? sourceInfo(info) : Buffer.from([255, 255, 255, 255, 0x41, ...challenge]);
  }, port);
}

function sourceInfo({ online, maximum, bots = 0, appId = 730, tags, bare, cut }: SourceInfo): Buffer {
  const text = ["Source of truth", "de_dust", "csgo", "Counter-Strike"].map((part) => `${part}\0`).join("");
  const head = [255, 255, 255, 255, 0x49, 17, ...Buffer.from(text), appId & 0xff, (appId >> 8) & 0xff];
  const body = [online, maximum, bots, 0x64, 0x6c, 0, 1, ...Buffer.from("1.0\0")];
  const game = [appId & 0xff, (appId >> 8) & 0xff, (appId >> 16) & 0xff, 0, 0, 0, 0, 0];
  const extra = tags === undefined ? [0x01, ...game] : [0x21, ...Buffer.from(`${tags}\0`), ...game];
  if (cut === "zero") return Buffer.from([...head, ...body.slice(0, -1)]);
  if (cut === "port") return Buffer.from([...head, ...body, 0x80]);
  return Buffer.from([...head, ...body, ...(bare ? [] : extra)]);
}

export interface FivemInfo {
  online: number;
  maximum: number;
  /** What answers HTTP on the same port; without it, nobody does. */
  http?: RequestListener;
}

/** A FiveM server: `getinfo` over UDP, /info.json and /players.json over HTTP on the same port. */
export async function startFivemPeer({ online, maximum, http }: FivemInfo): Promise<GamePeer> {
  const port = await freePort();
  const server = createHttpServer(http);
  if (http) await listen(server, port);
  const info = `\\sv_maxclients\\${maximum}\\clients\\${online}\\gamename\\CitizenFX\\hostname\\Bayside\\iv\\1`;
  const reply = Buffer.from(`\xff\xff\xff\xffinfoResponse\n${info}`, "latin1");
  const udp = await startUdpPeer((request) => (request.includes("getinfo") ? reply : undefined), port);
  return {
    port,
    stop: async () => {
      await udp.stop();
      if (http) await closeHttp(server);
    },
  };
}

/**
 * A Minecraft (Java) server's status (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping).
 * @param cutAt the bytes from there on come in a packet of their own; a negative one counts from the end
 */
export function startMinecraftPeer(status: unknown, cutAt?: number): Promise<GamePeer> {
  return startTcpPeer((socket) => {
    socket.setNoDelay(true);
    socket.once("data", () => {
      const json = Buffer.from(JSON.stringify(status));
      const packet = Buffer.concat([Buffer.from([0]), varint(json.length), json]);
      const answer = Buffer.concat([varint(packet.length), packet]);
      socket.write(answer.subarray(0, cutAt));
      if (cutAt !== undefined) setTimeout(() => socket.write(answer.subarray(cutAt)), 50);
    });
  });
}

/** A Minecraft (Bedrock) server that answers pings with this text (https://minecraft.wiki/w/RakNet). */
export function startBedrockPeer(text: string): Promise<GamePeer> {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return startUdpPeer((ping) => {
    if (ping[0] !== 1) return undefined;
    const head = [Buffer.from([0x1c]), ping.subarray(1, 9), Buffer.alloc(8), ping.subarray(9, 25)];
    return Buffer.concat([...head, length, Buffer.from(text)]);
  });
}

/** A Quake 3 server's `getstatus` with these rules, and players by their pings. */
export function startQuakePeer(rules: Record<string, string | number>, pings: number[]): Promise<GamePeer> {
  const told = Object.entries(rules).map(([key, value]) => `\\${key}\\${value}`);
  const players = pings.map((ping, place) => `3 ${ping} "Player ${place}"\n`);
  const status = `\xff\xff\xff\xffstatusResponse\n${told.join("")}\n${players.join("")}`;
  return startUdpPeer((request) =>
    request.includes("getstatus") ? Buffer.from(status, "latin1") : undefined,
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

async function closeHttp(server: ReturnType<typeof createHttpServer>): Promise<void> {
  server.close();
  server.closeAllConnections();
  if (server.listening) await once(server, "close");
}
