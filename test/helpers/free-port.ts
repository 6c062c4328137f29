import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below Linux's ports for outgoing connections, because one of those could take the port before its user does. */
const [LOWEST, HIGHEST] = [15_000, 32_767];

/** A port of this machine on which nothing listens now, by TCP or UDP. */
export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST + 1);
  const takers = [createServer().listen(port, "127.0.0.1"), createSocket("udp4").bind(port, "127.0.0.1")];
  const found = await Promise.all(takers.map(isFree));
  return found.every(Boolean) ? port : freePort();
}

async function isFree(taker: Server | Socket): Promise<boolean> {
  try {
    await once(taker, "listening");
  } catch {
    return false;
  }
  await new Promise<void>((resolve) => taker.close(() => resolve()));
  return true;
}
