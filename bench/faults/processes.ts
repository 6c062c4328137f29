import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { REPOSITORY } from "../ratios/servers.ts";

/** As `Restart=always` with `RestartSec=1` has it. */
const RESTART_MS = 1_000;

/** A process of the site that is started again whenever it ends. */
export class KeptProcess {
  /** How often it ended by itself or was killed. */
  ends = 0;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#args = args;
    this.#env = env;
    this.#start();
    process.once("exit", () => this.#child?.kill("SIGKILL"));
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }

  #start(): void {
    const child = spawn(process.execPath, ["src/main.ts", ...this.#args], {
      cwd: REPOSITORY,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#child = child;
    child.once("exit", async () => {
      this.ends += 1;
      await pause(RESTART_MS);
      if (!this.#isOver) this.#start();
    });
  }
}
