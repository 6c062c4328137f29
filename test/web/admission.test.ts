import { EventEmitter, once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import express, { type Response } from "express";
import { pino } from "pino";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { admitFew, type SlotLimits, Slots } from "../../src/web/server/admission.ts";
import { requestLog } from "../../src/web/server/log.ts";
import { useTestApp } from "../helpers/app.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A site with one dear address, whose requests are answered when the test says so. */
async function serve(waiting: number, slowReaderMs?: number) {
  const begun = new EventEmitter();
  const begins = (name: string) => once(begun, name) as Promise<[Response]>;
  /** Resolves when a request has come in, and by then waits if it has to. */
  const comes = (name: string) => once(begun, `come ${name}`) as Promise<[Response]>;
  const app = express();
  const admit = admitFew({ running: 1, waiting, slowReaderMs });
  app.use(requestLog(pino({ level: "silent" })), (req, res, next) => {
    begun.emit(`come ${req.path.slice(1)}`, res);
    next();
  });
  app.get("/cheap", (_req, res) => void res.send("cheap"));
  app.get(
    "/:name",
    admit<{ name: string }>(async (req, res) => {
      const { name } = req.params;
      const done = once(begun, `end ${name}`);
      begun.emit(name, res);
      if (name === "throws") throw new Error("no");
      if (name === "streams") return pipeline(Readable.from(endless()), res).catch(() => undefined);
      await done;
      res.end(name);
    }),
  );
  app.use(((error, _req, res, _next) => {
    res
      .status(error.problem?.status ?? 500)
      .set(error.headers ?? {})
      .end();
  }) as express.ErrorRequestHandler);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, begins, comes, end: (name: string) => begun.emit(`end ${name}`) };
}

function* endless(): Generator<string> {
  for (;;) yield "x".repeat(10_000);
}

async function ask(port: number, path: string): Promise<IncomingMessage> {
  const [answer] = (await once(get({ port, host: "127.0.0.1", path }), "response")) as [IncomingMessage];
  return answer.resume();
}

function send(port: number, path: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: almanac.test\r\n\r\n`);
  endings.push(() => socket.destroy());
  return socket;
}

describe("admission", () => {
  it("lets one dear request work, some wait and the others be refused, while cheap ones go on", async () => {
    const { port, begins, end } = await serve(1);
    const began = begins("first");
    const first = ask(port, "/first");
    await began;
    const answers = [ask(port, "/second"), ask(port, "/second")];
    const refused = await Promise.race(answers);
    expect(refused.statusCode).toBe(503);
    expect(refused.headers["retry-after"]).toBe("3");
    expect((await ask(port, "/cheap")).statusCode).toBe(200);
    const second = begins("second");
    end("first");
    expect((await first).statusCode).toBe(200);
    await second;
    end("second");
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([200, 503]);
  });

  it("gives the place of a handler that throws to the next", async () => {
    const { port, begins, end } = await serve(1);
    expect((await ask(port, "/throws")).statusCode).toBe(500);
    const began = begins("next");
    const next = ask(port, "/next");
    await began;
    end("next");
    expect((await next).statusCode).toBe(200);
  });

  it("gives the waiting place of a client that goes away to another one", async () => {
    const { port, begins, comes, end } = await serve(1);
    const began = begins("first");
    const first = ask(port, "/first");
    await began;
    const waits = comes("leaves");
    const leaving = send(port, "/leaves");
    const [unanswered] = await waits;
    expect((await ask(port, "/refused")).statusCode).toBe(503);
    const closed = once(unanswered, "close");
    leaving.destroy();
    await closed;
    const came = comes("third");
    const third = ask(port, "/third");
    await came;
    const thirdBegan = begins("third");
    end("first");
    await Promise.all([first, thirdBegan]);
    end("third");
    expect((await third).statusCode).toBe(200);
  });

  it("holds the place of a client that goes away until its handler is done", async () => {
    const { port, begins, end } = await serve(0);
    const began = begins("first");
    const leaving = send(port, "/first");
    const [answer] = await began;
    const closed = once(answer, "close");
    leaving.destroy();
    await closed;
    expect((await ask(port, "/second")).statusCode).toBe(503);
    end("first");
    const next = begins("second");
    const second = askUntilServed(port, "/second");
    await next;
    end("second");
    expect((await second).statusCode).toBe(200);
  });

  it("hands the place of a streamed answer on when that only waits for its reader", async () => {
    const { port, begins, end } = await serve(0, 100);
    const began = begins("streams");
    const reader = send(port, "/streams");
    await began;
    const next = begins("second");
    const second = askUntilServed(port, "/second");
    await next;
    expect(reader.readyState).toBe("open");
    end("second");
    expect((await second).statusCode).toBe(200);
  });

  it("does so before whoever waits behind it is sent away", async () => {
    const { port, begins, end } = await serve(1);
    const began = begins("streams");
    send(port, "/streams");
    await began;
    const next = begins("second");
    const second = ask(port, "/second");
    await next;
    end("second");
    expect((await second).statusCode).toBe(200);
  });

  it("holds the place of a streamed answer until it is broken off", async () => {
    const { port, begins, end } = await serve(0);
    const began = begins("streams");
    const reader = send(port, "/streams");
    await began;
    expect((await ask(port, "/second")).statusCode).toBe(503);
    reader.destroy();
    const next = begins("second");
    const second = askUntilServed(port, "/second");
    await next;
    end("second");
    expect((await second).statusCode).toBe(200);
  });
});

describe("a site with too many requests for expensive pages at once", () => {
  const site = useTestApp();

  it("refuses what is too much in the reader's language, and goes on with all else", async () => {
    // Fills what every page reads now and then, so that from here on only the list waits for the table.
    await request(site.app).get("/login").expect(200);
    const lock = await site.db.transaction();
    await lock.raw("lock table online_records in access exclusive mode");
    const asked = Array.from({ length: 40 }, (_, index) =>
      // Different addresses: requests for the same one wait for one answer.
      request(site.app).get(`${index % 2 ? "/ru/servers" : "/servers"}?game=${index}`),
    );
    const answers = asked.map((each) => each.then((answer) => answer));
    const [refused, ...others] = await first(14, answers);
    expect([refused, ...others].map((answer) => answer?.status)).toEqual(Array(14).fill(503));
    const russian = others.find(({ headers }) => headers["content-language"] === "ru");
    expect(russian?.text).toContain("Сайт сейчас перегружен");
    expect(russian?.text).toContain(russian?.headers["x-request-id"]);
    expect(russian?.headers).toMatchObject({ "retry-after": "3", "cache-control": "no-store" });
    for (const path of ["/login", "/healthz", "/donate"]) await request(site.app).get(path).expect(200);
    await lock.rollback();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    // Who waited too long on a slow machine was refused as well, but never the one that was at work.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
  });
});

/** The first of many that are answered, as soon as there are so many. */
function first(count: number, answers: Promise<request.Response>[]): Promise<request.Response[]> {
  const done: request.Response[] = [];
  return new Promise((resolve, reject) => {
    for (const answer of answers) {
      answer.then((each) => {
        done.push(each);
        if (done.length === count) resolve(done.slice());
      }, reject);
    }
  });
}

async function askUntilServed(port: number, path: string): Promise<IncomingMessage> {
  for (;;) {
    const answer = await ask(port, path);
    if (answer.statusCode !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const MINUTE = 60_000;

const slotsWith = (limits: Partial<SlotLimits>) =>
  new Slots({ running: 1, waiting: 2, waitMs: MINUTE, pauseMs: 0, ...limits });

/** Requests for slots, and what has become of them, in order. */
function requests(slots: Slots) {
  const log: string[] = [];
  const held: (() => void)[] = [];
  return {
    log,
    async send(name: string, gone?: AbortSignal) {
      try {
        const release = await slots.take(gone);
        log.push(`${name} ${release ? "in" : "gone"}`);
        if (release) held.push(release);
      } catch (error) {
        log.push(`${name} ${(error as { problem: { status: number } }).problem.status}`);
      }
    },
    /** Releases the oldest slot. */
    release: () => held.shift()?.(),
  };
}

/** Keeps the process at work. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it("refuses whoever has waited long enough, and holds no slot for them", async () => {
  const { log, send, release } = requests(slotsWith({ waiting: 1, waitMs: 20 }));
  await Promise.all([send("a"), send("b")]);
  expect(log).toEqual(["a in", "b 503"]);
  release();
  await send("c");
  expect(log.at(-1)).toBe("c in");
});

it("releases a slot once, however often that is called", async () => {
  const slots = slotsWith({ running: 2, waiting: 1 });
  const { log, send, release } = requests(slots);
  const [releaseFirst] = [await slots.take(), await slots.take()];
  for (let times = 0; times < 2; times++) releaseFirst?.();
  await send("a");
  const waiting = send("b");
  await send("c");
  expect(log).toEqual(["a in", "c 503"]);
  release();
  await waiting;
});

it.each([
  ["twice as long as the process worked", 0, 2],
  ["longer while requests wait for another kind of work", 2, 4],
])("pauses %s before the next", async (_what, others, times) => {
  const other = requests(slotsWith({}));
  const waiting = Array.from({ length: others }, (_, index) => other.send(`${index}`));
  const { send, release } = requests(slotsWith({ pauseMs: MINUTE }));
  const all = [send("a"), send("b")];
  await turn();
  work(300);
  const released = performance.now();
  release();
  await Promise.all(all);
  // Timers may come a millisecond early.
  expect(performance.now() - released).toBeGreaterThan(times * 300 - 10);
  for (let taken = 0; taken < others; taken++) {
    other.release();
    await turn();
    await turn();
  }
  await Promise.all(waiting);
  release();
});

it("does not pause when no request waits", async () => {
  const { log, send, release } = requests(slotsWith({ pauseMs: MINUTE }));
  await send("a");
  work(300);
  release();
  await turn();
  const sent = send("b");
  await turn();
  expect(log).toEqual(["a in", "b in"]);
  await sent;
});

it("pauses no longer than it may", async () => {
  const { log, send, release } = requests(slotsWith({ pauseMs: 0 }));
  const all = [send("a"), send("b")];
  await turn();
  work(300);
  release();
  const inTime = expect.poll(() => log, { timeout: 300 }).toEqual(["a in", "b in"]);
  await Promise.all([inTime, ...all]);
});
