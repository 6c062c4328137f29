/** The part of gamedig 5.3 that the adapter uses; the package has no types. */
declare module "gamedig" {
  /** What a protocol has read so far. */
  export interface Results {
    numplayers?: unknown;
    maxplayers?: unknown;
    name?: unknown;
    map?: unknown;
    version?: unknown;
    raw?: unknown;
    players?: readonly unknown[];
    bots?: readonly unknown[];
  }

  export interface Reader {
    remaining(): number;
    uint(bytes: number): number;
    int(bytes: number): number;
    string(length: number): string;
    pascalString(bytesForSize: number, adjustment?: number): string;
  }

  export interface RequestParams {
    url: string | URL;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
    json?: unknown;
    searchParams?: Record<string, string | undefined>;
    responseType?: "json" | "text";
  }

  /** One attempt at one server; every protocol extends it (protocols/core.js). */
  export interface Core {
    options: Record<string, unknown>;
    udpSocket: unknown;
    srvRecord: string | null;
    dnsResolver: { resolve(host: string): Promise<{ address: string; port?: number }> };
    run(state: Results): Promise<void>;
    runOnce(): Promise<Results>;
    runOnceSafe(): Promise<Results>;
    reader(buffer: Buffer): Reader;
    request(params: RequestParams): Promise<unknown>;
    withTcp<T>(talk: (socket: import("node:net").Socket) => Promise<T>, port?: number): Promise<T>;
    telnetConnect(params: object): Promise<void>;
    udpSend<T>(datagram: Buffer, onPacket: (datagram: Buffer) => T | undefined): Promise<T>;
    tcpSend<T>(
      socket: import("node:net").Socket,
      buffer: Buffer | string,
      onData: (received: Buffer) => T | undefined,
    ): Promise<T>;
  }

  export interface Game {
    name: string;
    options: { protocol: string; port?: number; port_query?: number; port_query_offset?: number | number[] };
    extra?: { old_id?: string };
  }

  export const games: Record<string, Game>;
  export const protocols: Record<string, { new (): Core; readonly prototype: Core }>;
}
