import cluster from "node:cluster";

/** Which of the site's processes this is. */
export interface PlaceInGroup {
  /** From 1; one that replaces another has its number. */
  readonly number: number;
  /** Others answer on the port already, so this one should take no request before it is ready. */
  readonly joins: boolean;
}

const ALONE: PlaceInGroup = { number: 1, joins: false };

/** The ways to end a process. */
export interface StopOrder {
  readonly signal: NodeJS.Signals;
  /** Another process has taken its place, so the site as a whole goes on. */
  readonly isReplaced: boolean;
}

/** A message from the first process to one that it started. */
export type Order =
  | ({ readonly order: "begin" } & PlaceInGroup)
  | ({ readonly order: "stop" } & StopOrder)
  | { readonly order: "hurry" };

/** A message to the first process from one that answers requests. */
export const READY = { isReady: true } as const;

/** Whether this process is one of several that `serve --processes` started on the same port. */
export function isChild(): boolean {
  return cluster.isWorker;
}

/** Resolves to what the first process says, or to that of a process that is alone. */
export async function placeInGroup(): Promise<PlaceInGroup> {
  if (!cluster.isWorker) return ALONE;
  return new Promise((resolve) => {
    const receive = (message: Order) => {
      if (message.order !== "begin") return;
      process.off("message", receive);
      resolve(message);
    };
    process.on("message", receive);
  });
}

/** The first inherited socket, see sd_listen_fds(3). */
const FIRST_SOCKET = 3;

/**
 * The descriptor of the socket that systemd opened for this process or, lent by the first process, for that one.
 * @param socketFor the process for which it was opened, if any
 */
export function handedSocket(socketFor: number | undefined): number | undefined {
  return socketFor === (cluster.isWorker ? process.ppid : process.pid) ? FIRST_SOCKET : undefined;
}

/** Tells the process that started this one that it answers. */
export function tellReady(): void {
  if (cluster.isWorker) process.send?.(READY);
}

/**
 * Lets this process end, which the channel to the first one would keep running. First it gives back the connections that
 * are on their way to it: those of a process that is gone would never be answered.
 */
export function leaveGroup(): void {
  cluster.worker?.disconnect();
}

/**
 * Resolves with the order to stop; the order to hurry calls `onSecondSignal`. Ctrl-C reaches all processes of a terminal,
 * but the first process decides, so beside its orders only SIGTERM counts.
 */
export function orderToStop(onSecondSignal: () => void): Promise<StopOrder> {
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve({ signal: "SIGTERM", isReplaced: false }));
    process.on("message", (message: Order) => {
      if (message.order === "hurry") onSecondSignal();
      else if (message.order === "stop") resolve(message);
    });
  });
}
