import type { Core, RequestParams, Results } from "gamedig";
import { onStop } from "../../../repeat.ts";
import { type Figures, Miss, NO_FIGURES, toCount } from "../adapter.ts";
import { type DownloadRequest, download } from "./download.ts";
import { queueOf } from "./queue.ts";
import { UdpExchange } from "./udp-exchange.ts";

/** Protocols that send the queue after the counts. */
const QUEUE_COMES_LATER = new Set(["fivem"]);
/** The share of the time limit to wait for that. */
const SHARE_FOR_QUEUE = 0.5;
/** How often a UDP packet is sent, evenly over the time limit. */
const TRIES = 3;

/** Downloads of one call, by address: all servers of a master list share it. */
export interface Downloads {
  readonly shared: Map<string, Promise<unknown>>;
  readonly signal: AbortSignal;
}

/**
 * One attempt of gamedig at one server. Keeps what its protocols have read, so that it counts even when a later part
 * fails, and ends them once the counts are known: player names and rules would follow, which nobody records and many
 * servers block.
 */
export class GamedigQuery {
  readonly udp: UdpExchange;
  /** Rejects when the query is over for any reason; gamedig's promises race against it. */
  readonly over: Promise<never>;
  readonly #states = new Map<Core, Results>();
  #malformed: string | undefined;
  readonly #abort = new AbortController();
  readonly #protocol: string;
  readonly #limitMs: number;
  readonly #downloads: Downloads;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(protocol: string, limitMs: number, downloads: Downloads, signal: AbortSignal) {
    this.#protocol = protocol;
    this.#limitMs = limitMs;
    this.#downloads = downloads;
    this.udp = new UdpExchange(Math.ceil(limitMs / TRIES));
    const { signal: ended } = this.#abort;
    this.over = new Promise((_, reject) => ended.addEventListener("abort", () => reject(ended.reason)));
    this.over.catch(() => undefined);
    const forget = onStop(signal, () => this.end("the poll was stopped"));
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
    for (const key of ["numplayers", "maxplayers"] as const) this.#watchCount(state, key);
  }

  /** Forgets what a protocol has read, because its answer was malformed. */
  drop(protocol: Core, why: string): void {
    this.#states.delete(protocol);
    this.#malformed = why;
  }

  /** Why there are no figures, where more is known than that time ran out. */
  get failure(): string | undefined {
    return this.#malformed ?? this.udp.failure;
  }

  /** What has been read; undefined when no protocol has read the counts. */
  figures(): Figures | undefined {
    for (const state of this.#states.values()) {
      const [online, max_online] = [onlineOf(state), toCount(state.maxplayers)];
      const isSomebody = Boolean(online || max_online !== null || state.name);
      if ((online ?? max_online) !== null && isSomebody) {
        return { online, queue: queueOf(state.raw), max_online };
      }
    }
    return undefined;
  }

  /** The figures of a query that ran to its end: a server that answers without counts is online as well. */
  figuresAtEnd(): Figures | undefined {
    const isSilent = (state: Results) => state.numplayers === undefined && state.maxplayers === undefined;
    const isNamed = [...this.#states.values()].some((state) => isSilent(state) && state.name);
    return this.figures() ?? (isNamed ? NO_FIGURES : undefined);
  }

  /** HTTP for gamedig's protocols, bounded as `download` is. */
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
    const text = await download(url, request, this.#downloads.signal);
    return type === "json" ? JSON.parse(text) : text;
  }

  #watchCount(state: Results, key: "numplayers" | "maxplayers"): void {
    let current: unknown;
    const set = (value: unknown) => {
      current = value;
      if (onlineOf(state) !== null && toCount(state.maxplayers) !== null) this.#haveCounts();
    };
    Object.defineProperty(state, key, { get: () => current, set, configurable: true, enumerable: true });
  }

  #haveCounts(): void {
    if (QUEUE_COMES_LATER.has(this.#protocol)) {
      const graceMs = this.#limitMs * SHARE_FOR_QUEUE;
      this.#graceTimer ??= setTimeout(() => this.end("the queue did not come"), graceMs);
    } else {
      this.end("the counts are known");
    }
  }
}

/**
 * Prefers `clients`, a FiveM or Quake server's own count: gamedig's quake2 counts a list of players where the answer
 * has no `iv`, and FiveM sends no list. In GameSpy's answers `numplayers` comes before the list.
 */
function onlineOf(state: Results): number | null {
  const raw = (state.raw ?? {}) as Record<string, unknown>;
  return toCount(raw.clients) ?? toCount(state.numplayers) ?? toCount(raw.numplayers);
}

function withJson(request: DownloadRequest, json: unknown): DownloadRequest {
  const headers = { "content-type": "application/json", ...request.headers };
  return { ...request, headers, body: JSON.stringify(json) };
}
