import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";

/** More than any game's answer: the largest that gamedig's protocols know is Quake 3's 16 KiB. */
const MAX_DATAGRAM_BYTES = 32 * 1024;
/** A peer that sends more than this to one query is not answering it. */
const MAX_BYTES = 1024 * 1024;
const MAX_DATAGRAMS = 256;

type OnDatagram = (address: string, port: number, datagram: Buffer) => void;

/**
 * The UDP of one query, in place of the socket that gamedig shares between all of them (its lib/GlobalUdpSocket.js,
 * whose three methods this has).
 *
 * - A socket of its own, connected: the kernel drops what comes from another address or port, and an answer that
 *   arrives after its query has ended finds the port closed, not the next query.
 * - What is not answered is sent again, so that a lost packet costs a moment and not the answer. gamedig repeats
 *   whole queries only, and drops the late answer to the first try.
 * - What a peer may send is bounded; the rest is dropped unread.
 */
export class UdpExchange {
  /** Why nothing came, where there is more to say than that nothing came. */
  trouble: string | undefined;
  readonly #resendAfterMs: number;
  readonly #sockets = new Map<string, Promise<Socket>>();
  readonly #waiting = new Set<OnDatagram>();
  #unanswered: { datagram: Buffer; socket: Socket }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #datagrams = 0;
  #closed = false;

  constructor(resendAfterMs: number) {
    this.#resendAfterMs = resendAfterMs;
  }

  async send(datagram: Buffer, address: string, port: number): Promise<void> {
    if (this.#closed) throw new Error("the query is over");
    const socket = await this.#socketTo(address, port);
    if (this.#closed) throw new Error("the query is over");
    this.#unanswered.push({ datagram, socket });
    this.#write(datagram, socket);
  }

  addCallback(onDatagram: OnDatagram): void {
    this.#waiting.add(onDatagram);
    this.#timer ??= setInterval(() => this.#resend(), this.#resendAfterMs);
  }

  /** Called when an answer was accepted or the wait is over: there is nothing left to repeat once nobody waits. */
  removeCallback(onDatagram: OnDatagram): void {
    this.#waiting.delete(onDatagram);
    if (this.#waiting.size === 0) this.#rest();
  }

  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#rest();
    for (const socket of this.#sockets.values()) {
      socket.then((opened) => opened.close()).catch(() => undefined);
    }
    this.#sockets.clear();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unanswered = [];
  }

  #socketTo(address: string, port: number): Promise<Socket> {
    const key = `${address} ${port}`;
    const socket = this.#sockets.get(key) ?? this.#open(address, port);
    this.#sockets.set(key, socket);
    return socket;
  }

  #open(address: string, port: number): Promise<Socket> {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    socket.on("message", (datagram) => this.#receive(datagram, address, port));
    const opened = new Promise<Socket>((resolve, reject) => {
      // "error" is also how "nobody listens there" (ECONNREFUSED) arrives: worth telling, but a server that is just
      // starting may answer the next packet.
      socket.on("error", (error) => {
        this.trouble = error.message;
        reject(error);
      });
      socket.connect(port, address, () => resolve(socket));
    });
    opened.catch(() => socket.close());
    return opened;
  }

  #write(datagram: Buffer, socket: Socket): void {
    socket.send(datagram, (error) => {
      if (error) this.trouble = error.message;
    });
  }

  #resend(): void {
    for (const { datagram, socket } of this.#unanswered) this.#write(datagram, socket);
  }

  #receive(datagram: Buffer, address: string, port: number): void {
    this.#bytes += datagram.length;
    this.#datagrams += 1;
    if (this.#bytes > MAX_BYTES || this.#datagrams > MAX_DATAGRAMS) {
      this.close();
      this.trouble = "the server sent more than any answer needs";
    } else if (datagram.length > MAX_DATAGRAM_BYTES) {
      this.trouble = `an answer of ${datagram.length} bytes was dropped`;
    } else if (!isCompressedPart(datagram)) {
      for (const onDatagram of [...this.#waiting]) onDatagram(address, port, datagram);
    }
  }
}

/**
 * A part of a bzip2-compressed answer of a Source server (https://developer.valvesoftware.com/wiki/Server_queries,
 * "Multi-packet Response Format"), which gamedig would unpack without a bound. Only lists of players and rules were
 * ever long enough for it, and those are not asked for.
 */
function isCompressedPart(datagram: Buffer): boolean {
  return datagram.length >= 8 && datagram.readInt32LE(0) === -2 && datagram.readInt32LE(4) < 0;
}
