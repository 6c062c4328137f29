import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";

/** Above the largest answer of gamedig's protocols, Quake 3's 16 KiB. */
const MAX_DATAGRAM_BYTES = 32 * 1024;
/** No answer to one query is larger. */
const MAX_BYTES = 1024 * 1024;
const MAX_DATAGRAMS = 256;

type OnDatagram = (address: string, port: number, datagram: Buffer) => void;

/** Throws for an address that must get no packets. */
type Check = (address: string, port: number) => void;

/**
 * The UDP socket of one query, with the three methods of the socket that gamedig shares between all queries
 * (lib/GlobalUdpSocket.js).
 *
 * - Its socket is connected: the kernel drops packets from other addresses and ports, and a late answer finds the port
 *   closed instead of reaching the next query.
 * - It sends unanswered packets again. gamedig only repeats whole queries, and drops the late answer to the first.
 * - It limits how much a peer may send.
 * - It only sends to addresses that pass its check.
 */
export class UdpExchange {
  /** Why no answer came, if known. */
  failure: string | undefined;
  readonly #resendAfterMs: number;
  readonly #check: Check;
  readonly #sockets = new Map<string, Promise<Socket>>();
  readonly #waiting = new Set<OnDatagram>();
  #unanswered: { datagram: Buffer; socket: Socket }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #datagrams = 0;
  #closed = false;

  constructor(resendAfterMs: number, check: Check) {
    this.#resendAfterMs = resendAfterMs;
    this.#check = check;
  }

  async send(datagram: Buffer, address: string, port: number): Promise<void> {
    if (this.#closed) throw new Error("the query is over");
    this.#check(address, port);
    const socket = await this.#socketTo(address, port);
    if (this.#closed) throw new Error("the query is over");
    this.#unanswered.push({ datagram, socket });
    this.#write(datagram, socket);
  }

  addCallback(onDatagram: OnDatagram): void {
    this.#waiting.add(onDatagram);
    this.#timer ??= setInterval(() => this.#resend(), this.#resendAfterMs);
  }

  /** Called when an answer was accepted or the wait is over. Without waiters it stops resending. */
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
      // Includes ECONNREFUSED, which is recorded as the reason. But a server that is starting may answer the next
      // packet.
      socket.on("error", (error) => {
        this.failure = error.message;
        reject(error);
      });
      socket.connect(port, address, () => resolve(socket));
    });
    opened.catch(() => socket.close());
    return opened;
  }

  #write(datagram: Buffer, socket: Socket): void {
    socket.send(datagram, (error) => {
      if (error) this.failure = error.message;
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
      this.failure = "the server sent more than any answer needs";
    } else if (datagram.length > MAX_DATAGRAM_BYTES) {
      this.failure = `an answer of ${datagram.length} bytes was dropped`;
    } else if (!isCompressedPart(datagram)) {
      for (const onDatagram of [...this.#waiting]) onDatagram(address, port, datagram);
    }
  }
}

/**
 * Part of a bzip2-compressed answer of a Source server (https://developer.valvesoftware.com/wiki/Server_queries,
 * "Multi-packet Response Format"), which gamedig would unpack without a limit. Only lists of players and rules are that
 * long, and no poll requests those.
 */
function isCompressedPart(datagram: Buffer): boolean {
  return datagram.length >= 8 && datagram.readInt32LE(0) === -2 && datagram.readInt32LE(4) < 0;
}
