import { type ChildProcess, fork } from "node:child_process";
import pLimit from "p-limit";

/** An SVG as pixels, with the size that it declares. */
export interface DrawnSvg {
  readonly width: number;
  readonly height: number;
  /** As PNG; undefined if the size is beyond the limit for drawing. */
  readonly picture?: Uint8Array;
}

export interface DrawOptions {
  /** The longest side of the result, in pixels, whatever size the file declares. */
  readonly side: number;
  /** The maximum of a file's declared side; larger files are not drawn. */
  readonly mostSide: number;
}

/** A typical drawing takes a hundredth of a second. */
const MOST_MS = 10_000;

/** One after the other, because a drawing that takes too long ends with its process. */
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
    // The process has most likely run out of memory.
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

/** An idle drawing process does not keep this one from ending. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
