import { sleep } from "../settings/timers.ts";
import type { Listener } from "../web/server/listen.ts";
import { type CommandContext, stopSignal } from "./command.ts";
import { isChild, orderToStop, type StopOrder } from "./processes/child.ts";

export interface Stop {
  readonly ordered: Promise<StopOrder>;
  /** Aborts when the process is about to end. */
  readonly stopping: AbortController;
  /** Aborts at the second signal. */
  readonly atOnce: AbortSignal;
}

export function expectStop({ server }: Listener): Stop {
  const atOnce = new AbortController();
  const cutShort = () => {
    atOnce.abort();
    server.closeAllConnections();
  };
  const ordered = isChild()
    ? orderToStop(cutShort)
    : stopSignal(cutShort).then((signal) => ({ signal, isReplaced: false }));
  return { ordered, stopping: new AbortController(), atOnce: atOnce.signal };
}

/**
 * Waits for the signal to stop. After SIGTERM it answers for some more seconds, until the load balancer has noticed;
 * after Ctrl-C a person waits.
 */
export async function stopGracefully(
  { config, err }: CommandContext,
  { sendAway }: Listener,
  { ordered, stopping, atOnce }: Stop,
): Promise<void> {
  const { signal, isReplaced } = await ordered;
  // The site stays ready if other processes answer on the same port.
  if (!isReplaced) stopping.abort();
  sendAway();
  const delayS = signal === "SIGTERM" ? config.shutdownDelayS : 0;
  if (delayS > 0) {
    err(`${signal}: ${isReplaced ? "replaced" : "not ready any more"}, still answering for ${delayS} s.`);
    await sleep(delayS * 1000, atOnce);
  }
  err(`Stopping after ${signal}: finishing what is under way.`);
}
