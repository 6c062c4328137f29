/** Why a run ended that was told to: Ctrl-C, or the machine going down. */
export class InterruptedError extends Error {
  override name = "InterruptedError";
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Turns the signals that would end the process into an abort, so that a run can take everything back and say so. A
 * second one changes nothing: under npm a Ctrl-C arrives twice.
 */
export function listenForInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new InterruptedError("interrupted"));
  for (const name of SIGNALS) process.on(name, interrupt);
  const stop = () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
  return { signal: controller.signal, stop };
}
