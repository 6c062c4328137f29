import { type Core, protocols, type Results } from "gamedig";
import { isObject, parseJson } from "../../../words/text/json.ts";
import { Miss } from "../adapter.ts";

/** No status is longer; a greater length belongs to another protocol. */
const MAX_STATUS_BYTES = 512 * 1024;
const MAX_VARINT_BYTES = 5;

/**
 * Replaces gamedig's two status protocols of Minecraft. Its Java one fails if a status has no `players`, and never
 * accepts a packet whose last byte arrives separately. Its Bedrock one splits at every `;`, so one in the server's name
 * shifts the counts.
 */
export function replaceMinecraft(): void {
  const { minecraftvanilla: java, minecraftbedrock: bedrock } = protocols;
  if (!java || !bedrock) throw new Error("gamedig has no protocols of Minecraft any more");
  java.prototype.run = askJava;
  bedrock.prototype.run = askBedrock;
}

/** Requests the status of the Java edition (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping). */
async function askJava(this: Core, state: Results): Promise<void> {
  const host = Buffer.from(String(this.options.host));
  const port = Buffer.alloc(2);
  port.writeUInt16BE(Number(this.options.port));
  const handshake = [varint(0), varint(47), varint(host.length), host, port, varint(1)];
  const request = Buffer.concat([packet(Buffer.concat(handshake)), packet(varint(0))]);
  const body = await this.withTcp((socket) => this.tcpSend(socket, request, readPacket));
  const status = readStatus(body);
  const { players, version } = status;
  state.raw = status;
  state.name = String(isObject(version) ? version.name : "Minecraft");
  state.maxplayers = isObject(players) ? players.max : undefined;
  state.numplayers = isObject(players) ? players.online : undefined;
}

/** The content of the first packet; undefined until it is complete. */
function readPacket(received: Buffer): Buffer | undefined {
  const length = readVarint(received, 0);
  if (length === undefined) return undefined;
  if (length.value > MAX_STATUS_BYTES) throw new Miss("the answer is no status of Minecraft");
  const end = length.next + length.value;
  return received.length < end ? undefined : received.subarray(length.next, end);
}

function readStatus(body: Buffer): Record<string, unknown> {
  const id = readVarint(body, 0);
  const length = id && readVarint(body, id.next);
  if (length === undefined || length.next + length.value > body.length)
    throw new Miss("an answer ends before it should");
  const text = body.toString("utf8", length.next, length.next + length.value);
  try {
    const status = parseJson(text);
    if (isObject(status)) return status;
  } catch {
    // Falls through to the reason below.
  }
  throw new Miss(`the status is not a JSON object: ${JSON.stringify(text.slice(0, 60))}`);
}

function packet(content: Buffer): Buffer {
  return Buffer.concat([varint(content.length), content]);
}

/** Encodes seven bits a byte, the lowest first. The eighth bit says that more follow. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** The number and the offset of its end; undefined if the buffer ends first. */
function readVarint(buffer: Buffer, start: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let at = start; at < buffer.length; at++) {
    const byte = buffer[at] ?? 0;
    value += (byte & 127) * 2 ** (7 * (at - start));
    if (byte < 128) return { value, next: at + 1 };
    if (at - start + 1 === MAX_VARINT_BYTES) throw new Miss("the answer is no status of Minecraft");
  }
  return undefined;
}

const NONCE = "1122334455667788";
const MAGIC = "00ffff00fefefefefdfdfdfd12345678";
/** The lengths of the answer's id, nonce, server id, magic number and text length. */
const PONG_HEAD_BYTES = 1 + 8 + 8 + 16 + 2;

/** Pings the Bedrock edition (https://minecraft.wiki/w/RakNet, "Unconnected Pong"). */
async function askBedrock(this: Core, state: Results): Promise<void> {
  const ping = Buffer.from(`01${NONCE}${MAGIC}0000000000000000`, "hex");
  const text = await this.udpSend(ping, readPong);
  const fields = splitFields(text);
  const at = findCounts(fields);
  state.name = fields[1] || "Minecraft";
  state.numplayers = at && fields[at];
  state.maxplayers = at && fields[at + 1];
}

/** The text of an answer to the ping; undefined for any other packet. */
function readPong(datagram: Buffer): string | undefined {
  const isPong = datagram[0] === 0x1c && datagram.toString("hex", 1, 9) === NONCE;
  if (!isPong || datagram.toString("hex", 17, 33) !== MAGIC) return undefined;
  const end = datagram.length < PONG_HEAD_BYTES ? Infinity : PONG_HEAD_BYTES + datagram.readUInt16BE(33);
  if (datagram.length < end) throw new Miss("an answer ends before it should");
  return datagram.toString("utf8", PONG_HEAD_BYTES, end);
}

/**
 * The parts between semicolons; one after a backslash is text. The characters after backslashes are left out, because
 * only the counts are used. A server that ends its name with a backslash and escapes nothing is split at every
 * semicolon.
 */
function splitFields(text: string): string[] {
  const fields = text.replace(/\\./gs, "\\").split(";");
  return findCounts(fields) === undefined ? text.split(";") : fields;
}

const NUMBER = /^-?\d{1,9}$/;
const ID = /^-?\d+$/;
const VERSION = /\d\.\d/;

/**
 * The index of the number of players among `edition;name;protocol;version;players;maximum;server id;second
 * name;mode;mode number;port;IPv6 port`; old servers send the first six. A semicolon in a name shifts the fields, so
 * this recognises them: numbers around a version, an id behind them, and the numbers at the end. Undefined if that
 * fits nowhere, or in several places.
 */
function findCounts(fields: readonly string[]): number | undefined {
  const isNumber = (at: number) => NUMBER.test(fields[at] ?? "");
  const places = [...fields.keys()]
    .slice(4)
    .filter((at) => isNumber(at - 2) && isNumber(at) && isNumber(at + 1));
  const versioned = places.filter((at) => VERSION.test(fields[at - 1] ?? ""));
  const isBeforeId = (at: number) => ID.test(fields[at + 2] ?? "");
  const likely = versioned.length > 0 ? versioned : places.filter((at) => at === 4 || isBeforeId(at));
  const last = fields.findLastIndex((field) => field !== "");
  const hasPorts = [last, last - 1, last - 2].every(isNumber);
  const beforeId = likely.filter(isBeforeId);
  const fromEnd = likely.filter((at) => hasPorts && at === last - 7);
  return [likely, beforeId, fromEnd].find(({ length }) => length === 1)?.[0];
}
