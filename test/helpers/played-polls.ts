import type { Knex } from "knex";
import { expect } from "vitest";
import { type Finding, listPolled, writePolls } from "../../src/servers/poller/queries.ts";
import { slotAt } from "../../src/servers/poller/roster.ts";
import { NO_FIGURES } from "./poller.ts";

/** A slot of thirty years, the present one until 2033: time goes on only where a test says so. */
const INTERVAL_MS = 1e12;

export type Told = {
  online: number | null;
  bots?: number | null;
  queue: number | null;
  max_online: number | null;
};
/** What happens in one slot: an answer, a miss, or no poll at all. */
export type Step = Told | "missed" | "gap";

/** Plays a sequence of steps for each server, all of one length, slot by slot. */
export async function playPolls(db: Knex, sequences: ReadonlyMap<string, readonly Step[]>): Promise<void> {
  const length = Math.max(...[...sequences.values()].map((steps) => steps.length));
  for (let index = 0; index < length; index++) {
    const { now, servers } = await listPolled(db);
    const findings = servers.flatMap(({ id, number, definition }): Finding[] => {
      const step = sequences.get(id)?.[index] ?? "gap";
      if (step === "gap") return [];
      const figures = step === "missed" ? NO_FIGURES : step;
      return [{ number, definition, answered: step !== "missed", ...NO_FIGURES, ...figures }];
    });
    const slot = { slot: slotAt(now, INTERVAL_MS), intervalMs: INTERVAL_MS };
    const written = await writePolls(db, findings, slot);
    expect(written.length).toBe(findings.length);
    await passSlot(db);
  }
}

/** To the rules it is the same whether time went on or the last poll was one slot earlier. */
async function passSlot(db: Knex): Promise<void> {
  const back = "poll_slot - ? * interval '1 millisecond'";
  await db("servers").update({ poll_slot: db.raw(back, [INTERVAL_MS]) });
}
