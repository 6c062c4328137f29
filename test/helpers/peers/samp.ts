import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";

/**
 * How a peer behaves:
 * `healthy` answers i, r, c and d · `silent` never · `late` after `lateMs` · `losesEverySecond` drops requests 1, 3,
 * 5 … · `blocksRules` answers i only · `cp1251` has Cyrillic names in that encoding · `garbage` sends random bytes ·
 * `truncated` ends in the middle of the counts · `lyingLength` names a text longer than the packet · `huge` sends
 * 60 KB · `wrongHeader` repeats another address · `otherPort` answers from a second socket · `twice` sends
 * everything twice · `flood` sends without an end.
 */
export type SampMood =
  | "healthy"
  | "silent"
  | "late"
  | "losesEverySecond"
  | "blocksRules"
  | "cp1251"
  | "garbage"
  | "truncated"
  | "lyingLength"
  | "huge"
  | "wrongHeader"
  | "otherPort"
  | "twice"
  | "flood";

export interface SampPeerOptions {
  mood?: SampMood;
  online?: number;
  maximum?: number;
  /** Default: 700. */
  lateMs?: number;
  /** To be stopped and started again at the same place. Default: any free port. */
  port?: number;
}

export interface SampPeer {
  readonly port: number;
  /** Packets received, dropped ones included. */
  readonly requests: number;
  /** Packets received with this opcode. */
  requestsOf(opcode: string): number;
  setMood(mood: SampMood): void;
  setPlayers(online: number, maximum?: number): void;
  stop(): Promise<void>;
}

const HEADER_BYTES = 11;

/**
 * A SA-MP or open.mp server's query protocol (https://open.mp/docs/tutorials/QueryMechanism): one UDP socket on
 * 127.0.0.1 and no timers of its own, so that hundreds of them fit in a test.
 */
export async function startSampPeer(options: SampPeerOptions = {}): Promise<SampPeer> {
  const socket = createSocket("udp4");
  const state = {
    mood: options.mood ?? "healthy",
    online: options.online ?? 12,
    maximum: options.maximum ?? 100,
    lateMs: options.lateMs ?? 700,
  };
  const counts = new Map<string, number>();
  let requests = 0;
  socket.on("error", () => undefined);
  socket.on("message", (request, from) => {
    requests += 1;
    const opcode = String.fromCharCode(request[HEADER_BYTES - 1] ?? 0);
    counts.set(opcode, (counts.get(opcode) ?? 0) + 1);
    if (request.length >= HEADER_BYTES && request.toString("latin1", 0, 4) === "SAMP") {
      answer({ socket, state, request: request.subarray(0, HEADER_BYTES), opcode, from, nth: requests });
    }
  });
  socket.bind(options.port ?? 0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    get requests() {
      return requests;
    },
    requestsOf: (opcode) => counts.get(opcode) ?? 0,
    setMood: (mood) => {
      state.mood = mood;
    },
    setPlayers: (online, maximum = state.maximum) => Object.assign(state, { online, maximum }),
    stop: () => close(socket),
  };
}

interface Exchange {
  socket: Socket;
  state: { mood: SampMood; online: number; maximum: number; lateMs: number };
  request: Buffer;
  opcode: string;
  from: RemoteInfo;
  nth: number;
}

function answer(exchange: Exchange): void {
  const { socket, state, request, opcode, from, nth } = exchange;
  const { mood } = state;
  const send = (reply: Buffer) => sendTo(socket, reply, from);
  if (mood === "silent" || (mood === "losesEverySecond" && nth % 2 === 1)) return;
  if (mood === "blocksRules" && opcode !== "i") return;
  const body = bodyOf(opcode, state);
  const reply = Buffer.concat([request, body]);
  if (mood === "late") setTimeout(() => send(reply), state.lateMs).unref();
  else if (mood === "garbage") send(garbage(nth));
  else if (mood === "truncated") send(reply.subarray(0, HEADER_BYTES + 4));
  else if (mood === "lyingLength") send(lengthen(reply));
  else if (mood === "huge") send(Buffer.concat([reply, Buffer.alloc(60 * 1024)]));
  else if (mood === "wrongHeader") send(Buffer.concat([Buffer.from("SAMP\x01\x02\x03\x04\x05\x06i"), body]));
  else if (mood === "otherPort") sendFromElsewhere(reply, from);
  else if (mood === "flood") for (let i = 0; i < 2000; i++) send(Buffer.alloc(1200, 120));
  else for (let i = 0; i < (mood === "twice" ? 2 : 1); i++) send(reply);
}

/** A socket that was closed in the meantime has nothing to send any more. */
function sendTo(socket: Socket, reply: Buffer, from: RemoteInfo): void {
  try {
    socket.send(reply, from.port, from.address, () => undefined);
  } catch {}
}

function sendFromElsewhere(reply: Buffer, from: RemoteInfo): void {
  const other = createSocket("udp4");
  other.send(reply, from.port, from.address, () => other.close());
}

function bodyOf(opcode: string, { mood, online, maximum }: Exchange["state"]): Buffer {
  const cyrillic = mood === "cp1251";
  const name = cyrillic ? encodeCp1251("Лос-Сантос №1 ё") : Buffer.from("Los Santos One");
  const player = cyrillic ? encodeCp1251("Иван_Ёлкин") : Buffer.from("Carl_Johnson");
  const listed = Array.from({ length: Math.min(online, 100) }, () => player);
  if (opcode === "i") {
    return Buffer.concat([
      uint8(0),
      uint16(online),
      uint16(maximum),
      ...[name, "RP 1.0", "Russian"].map(text32),
    ]);
  }
  if (opcode === "r") return Buffer.concat([uint16(1), text8("version"), text8("0.3.7-R2")]);
  if (opcode === "c")
    return Buffer.concat([uint16(listed.length), ...listed.flatMap((one) => [text8(one), uint32(7)])]);
  if (opcode === "d") {
    const detailed = listed.flatMap((one, id) => [uint8(id), text8(one), uint32(7), uint32(50)]);
    return Buffer.concat([uint16(listed.length), ...detailed]);
  }
  return Buffer.alloc(4);
}

function garbage(seed: number): Buffer {
  return Buffer.from(Array.from({ length: 200 }, (_, at) => (seed * 31 + at * at * 7 + 3) % 256));
}

/** The length of the host name becomes more than the packet holds. */
function lengthen(reply: Buffer): Buffer {
  const lying = Buffer.from(reply);
  if (lying.length >= HEADER_BYTES + 9) lying.writeUInt32LE(0x7fffffff, HEADER_BYTES + 5);
  return lying;
}

function encodeCp1251(text: string): Buffer {
  const special: Record<string, number> = { Ё: 0xa8, ё: 0xb8, "№": 0xb9 };
  return Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.codePointAt(0) ?? 0;
      return special[letter] ?? (code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code);
    }),
  );
}

function text8(text: Buffer | string): Buffer {
  return Buffer.concat([uint8(Buffer.byteLength(text)), Buffer.from(text)]);
}

function text32(text: Buffer | string): Buffer {
  return Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);
}

function uint8(value: number): Buffer {
  return Buffer.from([value]);
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function close(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.close(() => resolve()));
}
