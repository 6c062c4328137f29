import { type ChildProcess, fork } from "node:child_process";
import pLimit from "p-limit";

/** An SVG as pixels, with the size that it says it has. */
export interface DrawnSvg {
  readonly width: number;
  readonly height: number;
  /** As PNG; undefined: the size is beyond what is drawn. */
  readonly picture?: Uint8Array;
}

export interface DrawOptions {
  /** The longest side, in pixels, whatever the size that the file says. */
  readonly side: number;
  /** Larger files are not drawn. */
  readonly mostSide: number;
}

/** Ordinary ones take a hundredth of a second. */
const MOST_MS = 10_000;

/** One after the other, as the process is ended with the drawing that takes too long. */
const limit = pLimit(1);
let drawer: ChildProcess | undefined;

/**
 * Draws an SVG in a process of its own. A few lines of SVG can take hours to draw, and libvips cannot stop that: only
 * the end of its process does.
 * @returns "damaged" or "too slow" if it cannot draw the file
 */
export function drawSvg(bytes: Buffer, options: DrawOptions): Promise<DrawnSvg | "damaged" | "too slow"> {
  return limit(() => ask(bytes, options));
}

function ask(bytes: Buffer, options: DrawOptions): Promise<DrawnSvg | "damaged" | "too slow"> {
  drawer ??= startDrawer();
  const child = drawer;
  return new Promise((resolve) => {
    const finish = (result: DrawnSvg | "damaged" | "too slow") => {
      clearTimeout(timer);
      child.removeAllListeners("message").removeAllListeners("exit");
      letGo(child);
      resolve(result);
    };
    const end = (result: "damaged" | "too slow") => {
      drawer = undefined;
      child.kill("SIGKILL");
      finish(result);
    };
    const timer = setTimeout(end, MOST_MS, "too slow");
    child.once("message", (answer: DrawnSvg | { isDamaged: true }) =>
      finish("isDamaged" in answer ? "damaged" : answer),
    );
    // Out of memory, most likely.
    child.once("exit", () => end("damaged"));
    child.channel?.ref();
    child.send({ bytes, ...options });
  });
}

function startDrawer(): ChildProcess {
  const child = fork(new URL("./svg-drawer.ts", import.meta.url), {
    serialization: "advanced",
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("error", () => undefined);
  letGo(child);
  return child;
}

/** An idle process keeps nobody from ending. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
