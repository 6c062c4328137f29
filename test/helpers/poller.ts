import type { Knex } from "knex";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Adapter, Answer, Figures, Target } from "../../src/servers/poller/adapter.ts";
import { type PollerOptions, startPoller } from "../../src/servers/poller/poll.ts";
import { LOOPBACK } from "./egress.ts";
import { captureLog } from "./log.ts";

export const NO_FIGURES: Figures = { online: null, bots: null, queue: null, max_online: null };

export function answered(figures: Partial<Figures> = {}): Answer {
  return { kind: "answered", figures: { ...NO_FIGURES, ...figures } };
}

/** An answer with its figures alone. */
export function figuresOnly(answer: Answer): Answer {
  return answer.kind === "answered" ? { kind: answer.kind, figures: answer.figures } : answer;
}

export const MISSED: Answer = { kind: "missed", reason: "silence" };

/** Adds servers that are polled; all but the ids may be left out. */
export async function addPolled(db: Knex, ids: readonly string[], columns: object = {}): Promise<void> {
  const rows = ids.map((id) => ({
    id,
    name: id,
    address: `${id}.test:7777`,
    adapter: "gamedig",
    ...columns,
  }));
  await db("servers").insert(rows);
}

export async function serverRow(db: Knex, id: string) {
  return db("servers").where({ id }).first();
}

/** The records of a server, oldest first. */
export async function recordsOf(db: Knex, id: string) {
  return db("online_records as r")
    .join("servers as s", "s.number", "r.server_number")
    .where("s.id", id)
    .orderBy("r.checked_at")
    .select("r.checked_at", "r.status", "r.online", "r.queue", "r.max_online");
}

/** Two records of one server in one interval, anywhere: there must be none. */
export async function doubleRecords(db: Knex, intervalMs: number): Promise<unknown[]> {
  const { rows } = await db.raw(
    `select server_number, floor(extract(epoch from checked_at) * 1000 / ?) as slot, count(*)
       from online_records group by 1, 2 having count(*) > 1`,
    [intervalMs],
  );
  return rows;
}

/** An adapter for a test: `ask` returns the answer of each target, `options` its option schema. */
export function fakeAdapter(
  ask: (target: Target, signal: AbortSignal) => Answer | Promise<Answer>,
  { groupOf = (target: Target) => target.id, options = z.object({}).loose() as z.ZodType } = {},
): Adapter {
  return {
    options,
    groupOf,
    ask: async (targets, signal) => {
      const answers = targets.map(async (target) => [target.id, await ask(target, signal)] as const);
      return new Map(await Promise.all(answers));
    },
  };
}

/** A poller in this process, stopped when the test ends. */
export function runPoller(options: Pick<PollerOptions, "db" | "intervalMs"> & { adapter: Adapter }) {
  const { db, intervalMs, adapter } = options;
  const sink = captureLog();
  const poller = startPoller({
    db,
    intervalMs,
    egress: LOOPBACK,
    log: sink.log,
    adapters: { gamedig: adapter },
  });
  onTestFinished(() => poller.stop());
  return { ...sink, stop: poller.stop };
}
