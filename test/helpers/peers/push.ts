import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import ece from "http_ece";
import { selfSigned } from "./certificate.ts";

/** A message as the browser got it: signed by the right key, decrypted. */
interface Received {
  readonly browser: PushBrowser;
  readonly headers: IncomingHttpHeaders;
  /** The signed token's claims. */
  readonly claims: { aud: string; exp: number; sub: string };
  /** The body as received, encrypted. */
  readonly body: Buffer;
  readonly data: Record<string, string>;
}

/** A browser's subscription, as `PushSubscription.toJSON()` writes it, with the keys that only the browser has. */
export interface PushBrowser {
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** Reads what was sent to it. @throws Error where it was not encrypted for this browser */
  read(body: Buffer): Record<string, string>;
}

/** The service's answer to a valid message; by default it accepts it. */
export type PushMood = (res: ServerResponse) => void;

export interface PushService {
  /** `127.0.0.1:port` */
  readonly host: string;
  /** Trusts the service's certificate, as nobody else does. */
  readonly agent: Agent;
  /** Every message that came, whatever was answered. */
  readonly received: Received[];
  mood: PushMood;
  /** A browser that subscribes with a site's public key. */
  subscribe(applicationServerKey: string): PushBrowser;
  /** As if its user had withdrawn the permission: messages to it are answered with 410. */
  forget(browser: PushBrowser): void;
  close(): Promise<void>;
}

const LARGEST_BYTES = 4096;
const LONGEST_EXPIRY_S = 86_400;
const URGENCIES = ["very-low", "low", "normal", "high"];

/** A push service on this machine that is as strict as RFC 8030, RFC 8291 and RFC 8292 let it be. */
export async function startPushService(): Promise<PushService> {
  const { key, cert } = selfSigned();
  const subscriptions = new Map<string, { browser: PushBrowser; applicationServerKey: string }>();
  const received: Received[] = [];
  const server = createServer({ key, cert }, (req, res) => {
    take(req).then(
      () => service.mood(res),
      (error) => refuse(res, error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Agent({ ca: cert });

  async function take(req: IncomingMessage): Promise<void> {
    const body = await buffer(req);
    const known = subscriptions.get(req.url ?? "");
    if (!known) throw new Refusal(410, "push subscription has unsubscribed or expired");
    checkHeaders(req, body);
    const claims = checkVapid(req.headers.authorization ?? "", `https://${host}`, known.applicationServerKey);
    const { browser } = known;
    received.push({ browser, headers: req.headers, claims, body, data: browser.read(body) });
  }

  const service: PushService = {
    host,
    agent,
    received,
    mood: accept,
    subscribe(applicationServerKey) {
      const path = `/push/${randomBytes(16).toString("base64url")}`;
      const browser = makeBrowser(`https://${host}${path}`);
      subscriptions.set(path, { browser, applicationServerKey });
      return browser;
    },
    forget: ({ subscription }) => void subscriptions.delete(new URL(subscription.endpoint).pathname),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

/** Takes a message, as RFC 8030, section 5, says. */
export const accept: PushMood = (res) => void res.writeHead(201, { Location: "/message/1" }).end();

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

function refuse(res: ServerResponse, error: unknown): void {
  const status = error instanceof Refusal ? error.status : 400;
  res.writeHead(status, { "Content-Type": "text/plain" }).end(String(error));
}

function checkHeaders(req: IncomingMessage, body: Buffer): void {
  const { ttl, topic, urgency, "content-encoding": encoding } = req.headers;
  if (req.method !== "POST") throw new Refusal(405, "messages are posted");
  if (!/^\d+$/.test(String(ttl))) throw new Refusal(400, "no TTL");
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) throw new Refusal(400, "a wrong Topic");
  if (urgency !== undefined && !URGENCIES.includes(String(urgency)))
    throw new Refusal(400, "a wrong Urgency");
  if (encoding !== "aes128gcm") throw new Refusal(400, "not encrypted by RFC 8291");
  if (body.length > LARGEST_BYTES) throw new Refusal(413, "larger than every service must take");
}

/** RFC 8292: the token is signed by the key that the browser subscribed with, for this service, for a day at most. */
function checkVapid(header: string, origin: string, applicationServerKey: string): Received["claims"] {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  if (key !== applicationServerKey) throw new Refusal(403, "not the key of the subscription");
  const [head = "", body = "", signature = ""] = token.split(".");
  const signed = Buffer.from(`${head}.${body}`);
  const publicKey = { key: publicKeyOf(key), dsaEncoding: "ieee-p1363" as const };
  if (!verify("sha256", signed, publicKey, Buffer.from(signature, "base64url"))) {
    throw new Refusal(401, "the signature is wrong");
  }
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const secondsLeft = claims.exp - Date.now() / 1000;
  const lives = secondsLeft > 0 && secondsLeft <= LONGEST_EXPIRY_S;
  if (alg !== "ES256" || claims.aud !== origin || !lives) throw new Refusal(401, "the token is not for this");
  if (!/^(https:|mailto:)/.test(claims.sub)) throw new Refusal(401, "nobody to ask");
  return claims;
}

function publicKeyOf(applicationServerKey: string) {
  const bytes = Buffer.from(applicationServerKey, "base64url");
  const coordinate = (start: number) => bytes.subarray(start, start + 32).toString("base64url");
  const key = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) };
  return createPublicKey({ format: "jwk", key });
}

function makeBrowser(endpoint: string): PushBrowser {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  return {
    subscription: { endpoint, keys: { p256dh, auth } },
    read: (body) =>
      JSON.parse(ece.decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth }).toString()),
  };
}
