import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { setPriority } from "node:os";
import pLimit from "p-limit";

interface DrawingLimits {
  /** A drawing that takes longer ends with its process. */
  readonly mostMs: number;
  /** How much lower than normal the priority of the process is. */
  readonly nice?: number;
}

/** What the process sends: a drawing, or nothing if it cannot draw it. */
interface Answer<Drawn> {
  readonly drawn?: Drawn;
}

/** An idle process is ended, because it holds some 80 MB. */
const IDLE_MS = 30_000;

/**
 * A process of its own that draws, one drawing after the other. Libvips cannot stop a drawing that takes hours: only the
 * end of its process does.
 */
export class DrawingProcess<Drawing extends Serializable, Drawn> {
  readonly #script: URL;
  readonly #limits: DrawingLimits;
  readonly #inTurn = pLimit(1);
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param script a module that calls `answerDrawings` */
  constructor(script: URL, limits: DrawingLimits) {
    this.#script = script;
    this.#limits = limits;
  }

  /** @returns "failed" if it cannot be drawn, or the process has ended, most likely without memory */
  draw(drawing: Drawing): Promise<Drawn | "failed" | "too slow"> {
    return this.#inTurn(() => this.#ask(drawing));
  }

  #ask(drawing: Drawing): Promise<Drawn | "failed" | "too slow"> {
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve) => {
      const finish = (result: Drawn | "failed" | "too slow") => {
        clearTimeout(timer);
        child.removeAllListeners("message").removeAllListeners("exit");
        letGo(child);
        resolve(result);
      };
      const end = (result: "failed" | "too slow") => {
        this.#end(child);
        finish(result);
      };
      const timer = setTimeout(end, this.#limits.mostMs, "too slow");
      child.once("message", ({ drawn }: Answer<Drawn>) => {
        this.#idle = setTimeout(() => this.#end(child), IDLE_MS).unref();
        finish(drawn ?? "failed");
      });
      child.once("exit", () => end("failed"));
      child.channel?.ref();
      child.send(drawing, (error) => error && end("failed"));
    });
  }

  #start(): ChildProcess {
    const child = fork(this.#script, {
      serialization: "advanced",
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("error", () => undefined);
    if (child.pid !== undefined && this.#limits.nice !== undefined) giveWay(child.pid, this.#limits.nice);
    letGo(child);
    return child;
  }

  #end(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    child.kill("SIGKILL");
  }
}

/** Answers the drawings of a `DrawingProcess`; call it in the process. */
export function answerDrawings<Drawing, Drawn>(draw: (drawing: Drawing) => Promise<Drawn>): void {
  // Ends the process even in the middle of a drawing, when nothing else would.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.on("message", async (drawing: Drawing) => {
    process.send?.({ drawn: await draw(drawing).catch(() => undefined) } satisfies Answer<Drawn>);
  });
}

/** An idle drawing process does not keep this one from ending. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function giveWay(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // Not allowed, or the process has already ended. It then draws with the normal priority, or not at all.
  }
}
