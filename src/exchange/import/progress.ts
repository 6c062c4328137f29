import { Presets, SingleBar } from "cli-progress";
import type { InputSource } from "./input/source.ts";
import type { Progress } from "./options.ts";
import { formatCount } from "./report.ts";

interface ProgressView {
  show(progress: Progress): void;
  /** To be called before anything else is printed. */
  stop(): void;
}

/** Rare enough not to fill a log file. */
const LINE_EVERY_MS = 5000;

/** A bar on a terminal if the size is known, else a line every few seconds. */
export function createProgressView(
  { isTerminal, quiet, err }: { isTerminal: boolean; quiet: boolean; err: (line: string) => void },
  source: InputSource,
): ProgressView {
  if (quiet) return { show: () => undefined, stop: () => undefined };
  return isTerminal && source.size !== undefined ? createBar(source, source.size) : createLines(err, source);
}

function createBar(source: InputSource, size: number): ProgressView {
  const format = "{bar} {percentage} % | {records} records | {state}";
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  bar.start(size, 0, { records: "0", state: "reading" });
  return {
    show({ phase, records }) {
      if (phase === "pictures") return bar.update(0, { state: `${formatCount(records)} pictures` });
      bar.update(phase === "reading" ? source.bytesRead() : size, {
        records: formatCount(records),
        state: phase,
      });
    },
    stop: () => bar.stop(),
  };
}

function createLines(err: (line: string) => void, source: InputSource): ProgressView {
  const started = performance.now();
  let last = started;
  return {
    show({ phase, records }) {
      const now = performance.now();
      if (now - (phase === "writing" ? started : last) < LINE_EVERY_MS) return;
      last = now;
      if (phase === "pictures") return err(`${formatCount(records)} pictures read`);
      const read = `${formatCount(records)} records read`;
      err(phase === "reading" ? `${read}${share(source)}` : `${read}; writing`);
    },
    stop: () => undefined,
  };
}

function share({ size, bytesRead }: InputSource): string {
  return size ? ` (${Math.floor((100 * bytesRead()) / size)} %)` : "";
}
