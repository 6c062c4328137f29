/** Under npm a Ctrl-C arrives twice, from the terminal and from npm: only a later one means impatience. */
const SAME_KEYPRESS_MS = 1000;

/**
 * Resolves with the name of the first SIGINT, SIGTERM or SIGHUP. Until it is called those signals end the process at
 * once, which is safe too: the embedded Postgres notices and stops. A further signal calls `onImpatience`.
 */
export function stopSignal(onImpatience: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    const receive = (signal: NodeJS.Signals) => {
      if (stoppedAt === undefined) {
        stoppedAt = Date.now();
        resolve(signal);
      } else if (Date.now() - stoppedAt > SAME_KEYPRESS_MS) {
        onImpatience();
      }
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, receive);
  });
}
