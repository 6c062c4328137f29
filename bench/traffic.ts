import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** A request: a form is sent by POST, JSON by PUT. */
export interface Asked {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** 0 where there was none. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The code of the error, where there was no answer. */
  readonly error?: string;
  readonly ms: number;
}

const GIVE_UP_MS = 10_000;

/** Sends a request as a browser does, compressed, and waits for the end of the answer or of the connection. */
export function ask(
  port: number,
  { path, form, json, headers }: Asked,
  agent: Agent | false,
): Promise<Answer> {
  const began = performance.now();
  const body = form
    ? new URLSearchParams(form).toString()
    : json === undefined
      ? undefined
      : JSON.stringify(json);
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  const options = {
    port,
    path,
    agent,
    method: form ? "POST" : body ? "PUT" : "GET",
    timeout: GIVE_UP_MS,
    headers: {
      "accept-encoding": "gzip, br",
      ...(body && { "content-type": type, "sec-fetch-site": "same-origin" }),
      ...headers,
    },
  };
  return new Promise((resolve) => {
    const settle = (answer: Omit<Answer, "ms">) => resolve({ ...answer, ms: performance.now() - began });
    const fail = ({ code = "cut off" }: NodeJS.ErrnoException) =>
      settle({ status: 0, headers: {}, error: code });
    const sent = request(options, (answer) => {
      const { statusCode = 0, headers: got } = answer;
      answer.resume().on("end", () => settle({ status: statusCode, headers: got }));
      answer.on("error", fail);
    });
    sent.on("timeout", () => sent.destroy(Object.assign(new Error("slow"), { code: "no answer in 10 s" })));
    sent.on("error", fail);
    sent.end(body);
  });
}

/** Sends requests at a steady pace, whatever becomes of them; the result ends that and waits for the last ones. */
export function keepPace(perSecond: number, send: (number: number) => Promise<unknown>): () => Promise<void> {
  const began = performance.now();
  const underWay = new Set<Promise<unknown>>();
  let number = 0;
  const timer = setInterval(() => {
    while (number < ((performance.now() - began) / 1000) * perSecond) {
      const sent = send(number++).finally(() => underWay.delete(sent));
      underWay.add(sent);
    }
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(underWay);
  };
}
