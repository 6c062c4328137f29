import { afterEach, describe, expect, it } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";
import { playPolls, type Step, type Told } from "../helpers/played-polls.ts";
import { addPolled, NO_FIGURES, recordsOf, serverRow } from "../helpers/poller.ts";

const database = useTestDatabase();

afterEach(async () => {
  await database.db("servers").delete();
});

async function playOne(steps: Step[], columns: object = {}) {
  await addPolled(database.db, ["a"], columns);
  await playPolls(database.db, new Map([["a", steps]]));
  return { server: await serverRow(database.db, "a"), records: await recordsOf(database.db, "a") };
}

const full: Told = { online: 50, queue: 3, max_online: 50 };

describe("one poll after another", () => {
  it("counts two misses as offline since the second, and keeps the last good figures with their age", async () => {
    const { server, records } = await playOne([full, "missed", "missed", "missed"]);
    expect(server).toMatchObject({ status: "offline", missed_polls: 3, ...full });
    expect(records.map(({ status }) => status)).toEqual(["online", "unknown", "offline", "offline"]);
    expect(server.offline_since).toEqual(records[2].checked_at);
    expect(server.last_online_at).toEqual(records[0].checked_at);
    expect(server.checked_at).toEqual(records[3].checked_at);
  });

  it("stores counts above the maximum as they are", async () => {
    const { server, records } = await playOne([{ online: 750, queue: 20, max_online: 500 }]);
    expect(server).toMatchObject({ online: 750, queue: 20, max_online: 500 });
    expect(records[0]).toMatchObject({ online: 750, queue: 20, max_online: 500 });
  });

  it("clears a figure that is no longer reported, but keeps the maximum", async () => {
    const { server, records } = await playOne([full, { online: 7, queue: null, max_online: null }]);
    expect(server).toMatchObject({ online: 7, queue: null, max_online: 50 });
    expect(records[1]).toMatchObject({ online: 7, queue: null, max_online: null });
  });

  it("makes no new revision", async () => {
    const { server } = await playOne([full, "missed", "missed", full]);
    expect(server.revision).toBe(1);
    expect(server.updated_at).toEqual(server.created_at);
  });

  it("needs two misses also for a server that an import stored as offline", async () => {
    const known = { status: "offline", checked_at: new Date("2026-01-01T00:00:00Z") };
    const { server, records } = await playOne(["missed", "missed"], known);
    expect(records.map(({ status }) => status)).toEqual(["unknown", "offline"]);
    expect(server.offline_since).toEqual(records[1].checked_at);
  });
});

/** The rules once more, as plainly as possible; times are numbers of steps. */
function model(steps: Step[]) {
  const state = { status: "unknown", misses: 0, since: -1, checked: -1, lastOnline: -1, ...NO_FIGURES };
  const records: string[] = [];
  let lastPoll = -1;
  for (const [index, step] of steps.entries()) {
    if (step === "gap") continue;
    const isRow = state.misses > 0 && (state.status === "offline" || index - lastPoll <= 3);
    lastPoll = index;
    if (step !== "missed") {
      const max_online = step.max_online ?? state.max_online;
      const now = { misses: 0, since: -1, checked: index, lastOnline: index };
      Object.assign(state, { status: "online", ...step, max_online, ...now });
      records.push("online");
    } else if (isRow) {
      const since = state.status === "offline" ? state.since : index;
      Object.assign(state, { status: "offline", misses: state.misses + 1, since, checked: index });
      records.push("offline");
    } else {
      state.misses = 1;
      records.push("unknown");
    }
  }
  return { ...state, records };
}

/** What is stored, in the model's words. */
async function stored(id: string, steps: Step[]) {
  const server = await serverRow(database.db, id);
  const records = await recordsOf(database.db, id);
  const polls = steps.flatMap((step, index) => (step === "gap" ? [] : [index]));
  const stepAt = (time: Date | null) =>
    polls[records.findIndex(({ checked_at }) => checked_at.getTime() === time?.getTime())] ?? -1;
  const { status, online, bots, queue, max_online } = server;
  return {
    ...{ status, online, bots, queue, max_online, misses: server.missed_polls },
    ...{ since: stepAt(server.offline_since), checked: stepAt(server.checked_at) },
    lastOnline: stepAt(server.last_online_at),
    records: records.map((record) => record.status),
  };
}

describe("any course of polls", () => {
  it("of up to five steps leads where the plain rules lead", async () => {
    const sequences = new Map<string, Step[]>();
    const steps: Step[] = [full, "missed", "gap"];
    for (let number = 0; number < 3 ** 5; number++) {
      const course = [0, 1, 2, 3, 4].map((place) => steps[Math.floor(number / 3 ** place) % 3] ?? "gap");
      sequences.set(`s${number}`, course);
    }
    await addPolled(database.db, [...sequences.keys()]);
    await playPolls(database.db, sequences);
    for (const [id, course] of sequences) {
      expect(await stored(id, course), JSON.stringify(course)).toEqual(model(course));
    }
  });
});
