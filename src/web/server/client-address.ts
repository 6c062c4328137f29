import type { IncomingMessage } from "node:http";
import { withoutPort } from "./network.ts";

/** Whether a proxy is trusted, by its address and how many are in between: Express's "trust proxy fn". */
export type Trust = (address: string | undefined, hop: number) => boolean;

/**
 * The client's address before Express knows the request: the later `req.address`. X-Forwarded-For is read from its
 * end, as long as the writer of an entry is trusted (as in proxy-addr, which Express uses).
 */
export function clientAddress({ headers, socket }: IncomingMessage, trust: Trust): string {
  const written = headers["x-forwarded-for"];
  const peer = socket.remoteAddress ?? "unknown";
  if (written === undefined) return peer;
  const hops = String(written)
    .split(",")
    .map((hop) => hop.trim())
    .filter((hop) => hop !== "")
    .toReversed();
  let address = peer;
  for (const [hop, before] of hops.entries()) {
    if (!trust(address, hop)) break;
    address = before;
  }
  return withoutPort(address);
}
