import { pino } from "pino";

/** A log that is kept: its lines as objects, and what each of them says. */
export function captureLog(level: "debug" | "info" = "debug") {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: (line) => void lines.push(JSON.parse(line)) });
  const messages = () => lines.map(({ msg }) => String(msg));
  return { log, lines, messages };
}
