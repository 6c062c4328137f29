import { setMaxListeners } from "node:events";

/**
 * Calls `stop` when `signal` aborts, at once if it has; returns what ends that. One signal stops hundreds of polls,
 * which Node would take for a leak of listeners. (AbortSignal.any would keep something of each of them for as long
 * as the signal lives.)
 */
export function onStop(signal: AbortSignal, stop: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return () => signal.removeEventListener("abort", stop);
}
