/** Under npm one Ctrl-C arrives twice, from the terminal and from npm. */
const SAME_KEYPRESS_MS = 1000;

/**
 * Resolves with the first SIGINT, SIGTERM or SIGHUP; later ones call `onImpatience`. Before it is called, signals end the
 * process at once, which is safe: the embedded Postgres notices and stops.
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
