import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type SlotLimits, Slots } from "../src/http/admission.ts";

const MINUTE = 60_000;

function placesOf(limits: Partial<SlotLimits>): Slots {
  return new Slots({ running: 1, waiting: 3, waitMs: MINUTE, restMs: 0, ...limits });
}

/** Someone who takes places, and what has become of them, in order. */
function visitor(places: Slots, name: string, log: string[]) {
  const leaving = new AbortController();
  const given: (() => void)[] = [];
  return {
    async come() {
      const place = await places.take(name, leaving.signal);
      log.push(`${name} ${typeof place === "string" ? place : "in"}`);
      if (typeof place !== "string") given.push(place);
    },
    /** Gives the oldest place back, and lets whoever is next come in. */
    async giveBack() {
      given.shift()?.();
      await turn();
      await turn();
    },
    leave: () => leaving.abort(),
  };
}

/** Keeps the process at work. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("places", () => {
  it("are taken at once while there are any, and then in turn", async () => {
    const places = placesOf({ running: 2 });
    const log: string[] = [];
    const anna = visitor(places, "anna", log);
    const all = [anna.come(), anna.come(), anna.come(), anna.come()];
    await turn();
    expect(log).toEqual(["anna in", "anna in"]);
    expect([places.running, places.waiting]).toEqual([2, 2]);
    await anna.giveBack();
    expect([places.running, places.waiting]).toEqual([2, 1]);
    for (let times = 0; times < 3; times++) await anna.giveBack();
    await Promise.all(all);
    expect([places.running, places.waiting]).toEqual([0, 0]);
  });

  it("rest for twice as long as the process was at work before the next comes in", async () => {
    const log: string[] = [];
    const anna = visitor(placesOf({ restMs: MINUTE }), "anna", log);
    const all = [anna.come(), anna.come()];
    await turn();
    work(500);
    const given = performance.now();
    await anna.giveBack();
    expect(log).toEqual(["anna in"]);
    await Promise.all(all);
    // Timers may come a millisecond early, and never much.
    expect(performance.now() - given).toBeGreaterThan(990);
    expect(log).toEqual(["anna in", "anna in"]);
  });

  it("do not rest for the time in which the process was idle", async () => {
    const log: string[] = [];
    const anna = visitor(placesOf({ restMs: MINUTE }), "anna", log);
    const all = [anna.come(), anna.come()];
    await delay(1_000);
    const given = performance.now();
    await anna.giveBack();
    await Promise.all(all);
    expect(performance.now() - given).toBeLessThan(1_000);
  });

  it.each([
    ["longer while somebody waits for another kind of work", 2, (ms: number) => ms > 2_990],
    ["no longer for another kind that nobody waits for", 1, (ms: number) => ms < 2_900],
  ])("rest %s", async (_what, visits, isRight) => {
    const log: string[] = [];
    const limits: SlotLimits = { running: 1, waiting: 3, waitMs: MINUTE, restMs: MINUTE };
    const busy = new Set<Slots>();
    const other = visitor(new Slots(limits, busy), "other", log);
    const anna = visitor(new Slots(limits, busy), "anna", log);
    const others = Array.from({ length: visits }, () => other.come());
    const all = [anna.come(), anna.come()];
    await turn();
    work(1_000);
    const given = performance.now();
    await anna.giveBack();
    await Promise.all(all);
    // Twice the second of work, or three times.
    expect(performance.now() - given).toSatisfy(isRight);
    await anna.giveBack();
    await other.giveBack();
    await Promise.all(others);
    await other.giveBack();
    await expect.poll(() => busy.size, { timeout: 20_000 }).toBe(0);
  });

  it("rest no longer than they may", async () => {
    const log: string[] = [];
    const anna = visitor(placesOf({ restMs: 0 }), "anna", log);
    const all = [anna.come(), anna.come()];
    await turn();
    work(500);
    await anna.giveBack();
    expect(log).toEqual(["anna in", "anna in"]);
    await Promise.all(all);
  });

  it("go to callers in turn, however many one of them has waiting", async () => {
    const log: string[] = [];
    const places = placesOf({ waiting: 4 });
    const [greedy, modest] = [visitor(places, "greedy", log), visitor(places, "modest", log)];
    const all = [greedy.come(), greedy.come(), greedy.come(), greedy.come(), modest.come()];
    await turn();
    await greedy.giveBack();
    await greedy.giveBack();
    expect(log).toEqual(["greedy in", "greedy in", "modest in"]);
    await modest.giveBack();
    await greedy.giveBack();
    await Promise.all(all);
    expect(log.slice(3)).toEqual(["greedy in", "greedy in"]);
  });

  it("are refused where as many wait as may, if all are of the same caller", async () => {
    const log: string[] = [];
    const greedy = visitor(placesOf({}), "greedy", log);
    const all = Array.from({ length: 6 }, () => greedy.come());
    await turn();
    expect(log).toEqual(["greedy in", "greedy busy", "greedy busy"]);
    for (let times = 0; times < 4; times++) await greedy.giveBack();
    await Promise.all(all);
    expect(log.slice(3)).toEqual(["greedy in", "greedy in", "greedy in"]);
  });

  it("to wait in are taken from who has most of them, down to as many as the newcomer has", async () => {
    const log: string[] = [];
    const places = placesOf({});
    const [greedy, modest] = [visitor(places, "greedy", log), visitor(places, "modest", log)];
    void Promise.all([greedy.come(), greedy.come(), greedy.come(), greedy.come()]);
    void modest.come();
    await turn();
    expect(log).toEqual(["greedy in", "greedy busy"]);
    void modest.come();
    await turn();
    expect(log.slice(2)).toEqual(["modest busy"]);
    expect(places.waiting).toBe(3);
  });

  it("to wait in are given back by who goes away", async () => {
    const log: string[] = [];
    const places = placesOf({ waiting: 1 });
    const [first, second, third] = ["first", "second", "third"].map((name) => visitor(places, name, log));
    await first?.come();
    const gone = second?.come();
    second?.leave();
    await gone;
    await second?.come();
    expect(places.waiting).toBe(0);
    const waiting = third?.come();
    await first?.giveBack();
    await waiting;
    expect(log).toEqual(["first in", "second gone", "second gone", "third in"]);
  });

  it("are refused to who has waited long enough", async () => {
    const log: string[] = [];
    const places = placesOf({ waitMs: 20 });
    const anna = visitor(places, "anna", log);
    await Promise.all([anna.come(), anna.come()]);
    expect(log).toEqual(["anna in", "anna busy"]);
    await anna.giveBack();
    expect([places.running, places.waiting]).toEqual([0, 0]);
  });

  it("are given back once, however often that is said", async () => {
    const places = placesOf({ running: 2 });
    const never = new AbortController().signal;
    const [one, other] = [await places.take("anna", never), await places.take("anna", never)];
    for (let times = 0; times < 2; times++) if (typeof one === "function") one();
    expect(places.running).toBe(1);
    expect(typeof other).toBe("function");
  });
});
