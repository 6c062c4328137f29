import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** How many requests ended how: by a status, or by the code of an error. */
type Ends = Record<string, number>;

/** Readers that ask again and again until they are stopped. */
export interface SteadyReaders {
  /** How the requests so far ended. */
  readonly ends: Readonly<Ends>;
  stop(): Promise<Ends>;
}

/**
 * Requests the paths in turn, half of the time over kept connections and half over new ones.
 * @param perSecond at most so many requests a second, all together
 */
export function startReaders(url: string, paths: readonly string[], perSecond: number): SteadyReaders {
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
  const ends: Ends = {};
  let isOver = false;
  const ask = (agent: Agent, address: string): Promise<string> =>
    new Promise((resolve) => {
      const request = get(address, { agent }, (answer) => {
        answer.resume().once("end", () => resolve(String(answer.statusCode)));
      });
      request.once("error", (error: NodeJS.ErrnoException) => {
        const reason = error.code ?? error.message;
        // A server may close a kept connection just when a request leaves for it. Browsers and proxies send it again
        // (RFC 9112, section 9.3.1).
        const isStale = request.reusedSocket && reason === "ECONNRESET";
        resolve(isStale ? ask(agent, address) : reason);
      });
    });
  const asked: Promise<void>[] = [];
  const asking = (async () => {
    const began = performance.now();
    for (let turn = 0; !isOver; turn += 1) {
      const agent = agents[turn % agents.length] ?? agents[0];
      const address = url + (paths[Math.floor(turn / agents.length) % paths.length] ?? "/");
      const end = ask(agent as Agent, address).then((how) => {
        ends[how] = (ends[how] ?? 0) + 1;
      });
      asked.push(end);
      await delay(Math.max(0, began + ((turn + 1) * 1000) / perSecond - performance.now()));
    }
  })();
  return {
    ends,
    stop: async () => {
      isOver = true;
      await asking;
      await Promise.all(asked);
      for (const agent of agents) agent.destroy();
      return ends;
    },
  };
}
