import { Agent, request } from "node:http";
import type { Reader } from "../../test/helpers/page-types.ts";

/** What to request. `{n}` is another number each time, so that no answer comes from the cache. */
export interface MeasuredAddress {
  readonly path: string;
  readonly reader: Reader;
  /** The fields of a form to send. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly status: number;
  /** The size of the body as sent, compressed. */
  readonly bytes: number;
}

let number = 0;

/** Asks as a browser does: compressed, over a connection that is kept. */
export class Client {
  readonly #origin: string;
  readonly #cookies: Record<Reader, string>;
  readonly #agent: Agent;

  /** @param from its own address, such as 127.0.0.2 */
  constructor(origin: string, cookies: Record<Reader, string>, from?: string) {
    this.#origin = origin;
    this.#cookies = cookies;
    this.#agent = new Agent({ keepAlive: true, ...(from !== undefined && { localAddress: from }) });
  }

  ask({ path, reader, form }: MeasuredAddress): Promise<Measured> {
    number += 1;
    const body = form && new URLSearchParams(form).toString().replace("%7Bn%7D", String(number));
    const url = new URL(path.replaceAll("{n}", String(number)), this.#origin);
    const headers = {
      cookie: this.#cookies[reader],
      "accept-encoding": "gzip, br",
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
    };
    const method = body === undefined ? "GET" : "POST";
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers, agent: this.#agent }, (answer) => {
        let bytes = 0;
        answer.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, bytes }));
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
