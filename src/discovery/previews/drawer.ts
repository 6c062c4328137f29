import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import pLimit from "p-limit";

/** A text in one style. */
export interface Run {
  readonly text: string;
  /** Height of its letters in pixels, if all of them fit. */
  readonly size: number;
  /** `#rrggbb` */
  readonly colour: string;
  readonly bold?: boolean;
  readonly struck?: boolean;
}

/**
 * Runs that follow each other on one or several lines. `height` is their maximum, `gap` the distance to the block
 * above.
 */
export interface Block {
  readonly runs: readonly Run[];
  readonly height: number;
  readonly gap: number;
}

/** Blocks below each other in an area of the picture, from its start or up to its end. */
export interface Stack {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly align: "start" | "end";
  readonly blocks: readonly Block[];
}

/** A picture in a square area; `room` is the margin around one that is not opaque. */
export interface PlacedPicture {
  readonly bytes: Uint8Array;
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly radius: number;
  readonly room: number;
}

/** The layers of a picture, from the background up; in pixels. */
export interface Drawing {
  /** SVG without text, because texts of records must never become markup. */
  readonly background: string;
  readonly width: number;
  readonly height: number;
  readonly pictures: readonly PlacedPicture[];
  readonly stacks: readonly Stack[];
  /** Font files for all texts. */
  readonly fonts: readonly string[];
  /** The maximum size of the JPEG. */
  readonly mostBytes: number;
}

/** A typical drawing takes a tenth of a second, and a hundred times as long where all cores are busy. */
const MOST_MS = 30_000;
/** An idle process is ended, because it holds some 80 MB. */
const IDLE_MS = 30_000;
/** Pages have priority. With 10, a process among ten busy ones got a fiftieth of a core, and drew nothing in time. */
const NICE = 5;

const limit = pLimit(1);
let drawer: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Draws a picture as JPEG, in a process with a low priority, because it takes a core for a tenth of a second.
 * @throws Error if it cannot draw it
 */
export function drawPicture(drawing: Drawing): Promise<Buffer> {
  return limit(() => ask(drawing));
}

function ask(drawing: Drawing): Promise<Buffer> {
  clearTimeout(idle);
  drawer ??= startDrawer();
  const child = drawer;
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      child.removeAllListeners("message").removeAllListeners("exit");
      letGo(child);
    };
    const end = (why: string) => {
      if (drawer === child) drawer = undefined;
      child.kill("SIGKILL");
      finish();
      reject(new Error(`a preview was not drawn: ${why}`));
    };
    const timer = setTimeout(end, MOST_MS, "it took too long");
    child.once("message", (answer: { picture: Uint8Array } | { error: string }) => {
      finish();
      idle = setTimeout(endIdle, IDLE_MS, child).unref();
      if ("picture" in answer) resolve(Buffer.from(answer.picture));
      else reject(new Error(`a preview was not drawn: ${answer.error}`));
    });
    child.once("exit", () => end("its process ended"));
    child.channel?.ref();
    child.send(drawing, (error) => error && end(error.message));
  });
}

function startDrawer(): ChildProcess {
  const child = fork(new URL("./draw.ts", import.meta.url), {
    serialization: "advanced",
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("error", () => undefined);
  if (child.pid !== undefined) giveWay(child.pid);
  letGo(child);
  return child;
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // Not allowed, or the process has already ended. It then draws with the normal priority, or not at all.
  }
}

function endIdle(child: ChildProcess): void {
  if (drawer === child) drawer = undefined;
  child.kill();
}

/** An idle drawing process does not keep this one from ending. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
