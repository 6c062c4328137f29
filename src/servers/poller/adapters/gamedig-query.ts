import { isIPv6, type Socket } from "node:net";
import { type Core, protocols, type Reader, type RequestParams, type Results } from "gamedig";
import { onAbort } from "../../../settings/timers.ts";
import type { DownloadRequest } from "../../../web/egress/download.ts";
import { type EgressPolicy, NotPublicError, requirePermitted } from "../../../web/egress/policy.ts";
import { type Details, type Figures, Miss, NO_FIGURES, toCount } from "../adapter.ts";
import { readClients, readDetails, readFigures, readLine } from "./details.ts";
import { web } from "./download.ts";
import { findInList } from "./master-lists.ts";
import { replaceMinecraft } from "./minecraft.ts";
import { UdpExchange } from "./udp-exchange.ts";

/** Protocols that send the queue after the counts. */
const QUEUE_COMES_LATER = new Set(["fivem"]);
/** The share of the time limit to wait for the queue. */
const SHARE_FOR_QUEUE = 0.5;
/** How often a UDP packet is sent, evenly over the time limit. */
const TRIES = 3;

interface QueryOptions {
  readonly protocol: string;
  readonly limitMs: number;
  readonly countBots: boolean;
}

/** Downloads of one call, by address: all servers of a master list share it. */
export interface Downloads {
  readonly shared: Map<string, Promise<unknown>>;
  readonly signal: AbortSignal;
  readonly egress: EgressPolicy;
}

/**
 * One attempt of gamedig at one server. Keeps what its protocols have read, so that it counts even if a later part
 * fails. It ends them once the counts are known, because the next requests are for player names and rules, which are
 * not recorded and which many servers block.
 */
export class GamedigQuery {
  readonly udp: UdpExchange;
  /** Rejects when the query is over for any reason; gamedig's promises race against it. */
  readonly over: Promise<never>;
  readonly #states = new Map<Core, Results>();
  /** Why each protocol failed, in the order of their start. The first may have started the others. */
  readonly #reasons = new Map<Core, unknown>();
  #refusal: NotPublicError | undefined;
  readonly #abort = new AbortController();
  readonly #options: QueryOptions;
  readonly #downloads: Downloads;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(options: QueryOptions, downloads: Downloads, signal: AbortSignal) {
    this.#options = options;
    this.#downloads = downloads;
    this.udp = new UdpExchange(Math.ceil(options.limitMs / TRIES), (address, port) =>
      this.requireReach(address, port),
    );
    const { signal: ended } = this.#abort;
    this.over = new Promise((_, reject) => ended.addEventListener("abort", () => reject(ended.reason)));
    this.over.catch(() => undefined);
    const forget = onAbort(signal, () => this.end("the poll was stopped"));
    ended.addEventListener("abort", forget);
  }

  /** Ends the query and its sockets; may be called again. */
  end(reason: string): void {
    clearTimeout(this.#graceTimer);
    this.udp.close();
    this.#abort.abort(new Miss(reason));
  }

  /** Watches the object that a protocol writes to. Removes gamedig's initial 0 of both counts, which no server sent. */
  watch(protocol: Core, state: Results): void {
    this.#states.set(protocol, state);
    this.#reasons.set(protocol, undefined);
    for (const key of ["numplayers", "maxplayers"] as const) this.#watchCount(state, key);
  }

  /** Discards what a protocol has read, because its answer was malformed. */
  drop(protocol: Core, why: string): void {
    // Only optional fields follow the version in A2S_INFO, so its counts are valid even if those are cut off.
    const isValve = protocols.valve !== undefined && protocol instanceof protocols.valve;
    if (isValve && this.#states.get(protocol)?.version) return;
    this.#states.delete(protocol);
    this.#reasons.set(protocol, new Miss(why));
  }

  /**
   * Records why a protocol failed, because gamedig only reports the last of several. A malformed answer remains the
   * reason.
   */
  fail(protocol: Core, error: unknown): void {
    const ofUdp = isTimeout(error) && describeProblem(error).startsWith("UDP") ? this.udp.failure : undefined;
    this.#reasons.set(protocol, this.#reasons.get(protocol) ?? ofUdp ?? error);
  }

  /** Why there are no figures, if more is known than that the time ran out. Protocols may continue after a refusal. */
  get failure(): unknown {
    const [[, own] = [], ...others] = this.#reasons;
    const parts = others.filter(([, why]) => why !== undefined);
    const isOfPart = parts.length === 0 || parts.some(([, why]) => why === own);
    const lines = parts.map(
      ([protocol, why]) =>
        `${protocol.constructor.name}: ${isTimeout(why) ? "no answer" : describeProblem(why)}`,
    );
    return this.#refusal ?? (isOfPart ? own : lines.join("; ")) ?? this.udp.failure;
  }

  /**
   * Checks the address of a packet or a connection.
   * @throws NotPublicError
   */
  requireReach(address: string, port: number): void {
    try {
      requirePermitted(this.#downloads.egress, { host: address, port }, [{ address }]);
    } catch (error) {
      if (error instanceof NotPublicError) this.#refusal = error;
      throw error;
    }
  }

  /** What has been read; undefined when no protocol has read the counts. */
  figures(): Figures | undefined {
    for (const [protocol, state] of this.#states) {
      const figures = readFigures(protocol, state, this.#options.countBots);
      if (figures) return figures;
    }
    return undefined;
  }

  /** The details and the server's name, as read by the protocol that has the counts. */
  description(): { details?: Details | undefined; name?: string | null } {
    for (const [protocol, state] of this.#states)
      if (readFigures(protocol, state, this.#options.countBots))
        return { details: readDetails(state), name: readLine(state.name) };
    return {};
  }

  /** The figures of a completed query: a server that answers without readable counts is online as well. */
  figuresAtEnd(): Figures | undefined {
    const isNamed = [...this.#states.values()].some(({ name }) => name);
    return this.figures() ?? (isNamed ? NO_FIGURES : undefined);
  }

  /** HTTP for gamedig's protocols, with the limits of `download`. */
  request({ url, searchParams, json, responseType, ...request }: RequestParams): Promise<unknown> {
    this.#abort.signal.throwIfAborted();
    const target = new URL(url);
    for (const [name, value] of Object.entries(searchParams ?? {})) {
      if (value !== undefined) target.searchParams.set(name, value);
    }
    const sent = json === undefined ? request : withJson(request, json);
    if ((sent.method ?? "GET") !== "GET") return this.#fetch(target.href, sent, responseType);
    const key = `${responseType} ${target}`;
    const fetched = this.#downloads.shared.get(key) ?? this.#fetch(target.href, sent, responseType);
    this.#downloads.shared.set(key, fetched);
    return fetched;
  }

  async #fetch(url: string, request: DownloadRequest, type: RequestParams["responseType"]): Promise<unknown> {
    const text = await web.download(url, request, this.#downloads);
    return type === "json" ? JSON.parse(text) : text;
  }

  #watchCount(state: Results, key: "numplayers" | "maxplayers"): void {
    let current: unknown;
    const set = (value: unknown) => {
      current = value;
      if (readClients(state) !== null && toCount(state.maxplayers) !== null) this.#haveCounts();
    };
    Object.defineProperty(state, key, { get: () => current, set, configurable: true, enumerable: true });
  }

  #haveCounts(): void {
    if (QUEUE_COMES_LATER.has(this.#options.protocol)) {
      const graceMs = this.#options.limitMs * SHARE_FOR_QUEUE;
      this.#graceTimer ??= setTimeout(() => this.end("the queue did not come"), graceMs);
    } else {
      this.end("the counts are known");
    }
  }
}

export function isTimeout(error: unknown): boolean {
  return describeProblem(error).includes("Timed out after");
}

function describeProblem(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function withJson(request: DownloadRequest, json: unknown): DownloadRequest {
  const headers = { "content-type": "application/json", ...request.headers };
  return { ...request, headers, body: JSON.stringify(json) };
}

/** Above the largest answer over TCP, a modded Minecraft's status with its icon. */
const MAX_TCP_BYTES = 512 * 1024;

/**
 * Sets the limits that gamedig lacks. Patches the class that all protocols extend, because some create further protocol
 * objects (beammp its master list, minecraft three more). The options of each hold the GamedigQuery that it belongs to.
 *
 * - `runOnce` ends with its query, which watches what is read.
 * - `withTcp` connects to addresses within reach only, and `telnetConnect`, which no poll needs, to none.
 * - `request` (got, without a size limit) becomes a bounded download, with brackets around an IPv6 address, and lists
 *   of all servers are read as findInList does.
 * - `tcpSend` limits how much a peer sends.
 * - `reader` would return zeros past the end of an answer, and loop as often as a peer requests; reading past the end
 *   is now an error.
 *
 * Call it once, before the first query.
 */
export function boundGamedig(): void {
  replaceMinecraft();
  const core = coreOf();
  const { runOnce, withTcp, tcpSend, reader } = core;
  core.runOnce = function () {
    const query = queryOf(this);
    const run = this.run.bind(this);
    this.run = (state) => {
      query.watch(this, state);
      return run(state);
    };
    const running = runOnce.call(this);
    running.catch((error: unknown) => query.fail(this, error));
    return Promise.race([running, query.over]);
  };
  core.withTcp = async function <T>(talk: (socket: Socket) => Promise<T>, port?: number) {
    queryOf(this).requireReach(String(this.options.address), Number(port ?? this.options.port));
    return withTcp.call(this, talk, port) as Promise<T>;
  };
  core.telnetConnect = async () => {
    throw new Miss("a poll does not use Telnet");
  };
  core.request = async function (params) {
    const { host, port, address, protocol } = this.options;
    const url = isIPv6(String(address))
      ? String(params.url).replace(`//${address}:`, `//[${address}]:`)
      : params.url;
    const answer = await queryOf(this).request({ ...params, url });
    const sought = { host: String(host), port: port as number | undefined, address: String(address) };
    return findInList(String(protocol), answer, sought);
  };
  core.tcpSend = function <T>(
    socket: Socket,
    buffer: Buffer | string,
    onData: (received: Buffer) => T | undefined,
  ) {
    const bounded = (received: Buffer) => {
      if (received.length > MAX_TCP_BYTES) throw new Miss(`the answer is larger than ${MAX_TCP_BYTES} bytes`);
      return onData(received);
    };
    return tcpSend.call(this, socket, buffer, bounded) as Promise<T>;
  };
  core.reader = function (buffer) {
    return strict(reader.call(this, buffer), (why) => {
      if (this.options.query) queryOf(this).drop(this, why);
    });
  };
}

function coreOf(): Core {
  const core: unknown = protocols.samp && Object.getPrototypeOf(protocols.samp.prototype);
  if (!core) throw new Error("gamedig has no protocol samp any more");
  return core as Core;
}

function queryOf(core: Core): GamedigQuery {
  if (core.options.query instanceof GamedigQuery) return core.options.query;
  throw new Error("a protocol of gamedig runs outside of a GamedigQuery");
}

/**
 * A reader that fails past the end. One missing byte there reads as 0, because a Source server may omit its extra data
 * flag.
 */
function strict(reader: Reader, onMalformed: (why: string) => void): Reader {
  const { uint, int } = reader;
  const need = (bytes: number) => {
    const left = reader.remaining();
    if (bytes <= left || (bytes === 1 && left === 0)) return;
    const why = "an answer ends before it should";
    onMalformed(why);
    throw new Miss(why);
  };
  reader.uint = (bytes) => {
    need(bytes);
    return uint.call(reader, bytes);
  };
  reader.int = (bytes) => {
    need(bytes);
    return int.call(reader, bytes);
  };
  reader.pascalString = (bytesForSize, adjustment = 0) => {
    const length = reader.uint(bytesForSize) + adjustment;
    need(Math.max(length, 0));
    return reader.string(length);
  };
  return reader;
}
