import { isDeepStrictEqual } from "node:util";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { compareTimes, findEntriesAt } from "../../src/catalogue/past/queries.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { undoImport } from "../../src/exchange/imports/undo.ts";
import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import { useTestApp } from "../helpers/app.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** `PAST_TIMES=200` tries more. The log has the same steps in every run. */
const TIMES = Number(process.env.PAST_TIMES ?? 40);
const STEPS = 60;

const IDS = ["a", "b", "c", "d", "e", "f"];
const NAMES = ["Iron", "Gold", "Salt", "Zinc", "9 lives"];

interface ModelRecord {
  readonly id: string;
  readonly name: string;
  readonly names: Record<string, string>;
  readonly category: string | null;
  readonly attributes: Record<string, unknown>;
}

type State = ReadonlyMap<string, ModelRecord>;

const site = useTestApp();
const draw = createDraw("the past");
/** The state after each step with its dump and time. */
const log: { readonly at: Date; readonly state: State; readonly dump: State }[] = [];
let key: string;

/** The last step, if it was an import that changed something. */
let undoable: { readonly id: number; readonly before: State } | undefined;

beforeAll(async () => {
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
  let state: State = new Map();
  for (let step = 0; step < STEPS; step++) {
    state = await takeStep(step, state);
    log.push({ at: await readTime(), state, dump: await takeDump() });
  }
}, 120_000);

/** A moment after all that is committed, in the milliseconds that addresses have; nothing else is written in it. */
async function readTime(): Promise<Date> {
  const read = async () => (await site.db.raw("select clock_timestamp() as now")).rows[0].now as Date;
  const first = await read();
  for (;;) {
    const now = await read();
    // The millisecond of the last write is over, and so is the one that is returned.
    if (now.getTime() > first.getTime() + 1) return new Date(first.getTime() + 1);
  }
}

async function takeDump(): Promise<State> {
  const { body } = await request(site.app).get("/api/items").set("X-API-Key", key).expect(200);
  return toState(body.records);
}

const toState = (records: readonly ModelRecord[]): State =>
  new Map(records.map((record) => [record.id, record]));

async function takeStep(step: number, state: State): Promise<State> {
  const way = draw(10);
  if (way < 6) return importFile(state, way < 3);
  const undone = undoable;
  undoable = undefined;
  if (undone) {
    await undoImport(site.db, undone.id, { by: COMMAND });
    return undone.before;
  }
  const id = pick(draw, IDS);
  if (way < 8 && state.has(id)) {
    await request(site.app).delete(`/api/items/${id}`).set("X-API-Key", key).expect(204);
    return new Map([...state].filter(([other]) => other !== id));
  }
  const record = randomRecord(id, step);
  await request(site.app)
    .put(`/api/items/${id}`)
    .set("X-API-Key", key)
    .send(record)
    .expect(state.has(id) ? 200 : 201);
  return new Map([...state, [id, record]]);
}

async function importFile(state: State, prune: boolean): Promise<State> {
  const always = pick(draw, IDS);
  const ids = IDS.filter((id) => id === always || draw(2) === 0);
  const file = ids.map((id) => (draw(3) === 0 ? (state.get(id) ?? randomRecord(id)) : randomRecord(id)));
  const options = { prune, force: true, by: COMMAND, origin: { source: undefined } };
  const { id = 0 } = await importRecords(site.db, "items", file, options);
  const after = new Map([
    ...[...state].filter(([id]) => !prune || ids.includes(id)),
    ...file.map((record): [string, ModelRecord] => [record.id, record]),
  ]);
  const isChange = JSON.stringify(sorted(after)) !== JSON.stringify(sorted(state));
  undoable = isChange ? { id, before: state } : undefined;
  return after;
}

/** A record with every field: what no record of a file has, an import leaves as it is. */
function randomRecord(id: string, step = draw(1000)): ModelRecord {
  const attributes = {
    price: step % 3,
    ...(draw(2) === 0 && { nested: { deep: [draw(3)] } }),
    ...(draw(3) === 0 && { rare: pick(draw, NAMES) }),
  };
  const names = { ru: pick(draw, ["Да", "Нет"]), ...(draw(2) === 0 && { de: pick(draw, NAMES) }) };
  return { id, name: pick(draw, NAMES), names, category: pick(draw, ["Metal", "Food"]), attributes };
}

function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[draw(values.length)] as Value;
}

function sorted(state: State): ModelRecord[] {
  return [...state.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, name, names, category, attributes }) => ({
      id,
      name,
      names: Object.fromEntries(Object.entries(names).sort()),
      category,
      attributes: Object.fromEntries(Object.entries(attributes).sort()),
    }));
}

async function readAt(at: Date): Promise<ModelRecord[]> {
  const { body } = await request(site.app)
    .get("/api/items")
    .query({ at: at.toISOString(), sort: "id" })
    .set("X-API-Key", key)
    .expect(200);
  expect(body.total).toBe(body.records.length);
  return sorted(toState(body.records));
}

describe("the catalogue at a time", { timeout: 120_000 }, () => {
  it("equals what imports, prunes, edits and undos had made of it by then", async () => {
    for (let time = 0; time < TIMES; time++) {
      const { at, state } = pick(draw, log) as (typeof log)[number];
      expect(await readAt(at), at.toISOString()).toEqual(sorted(state));
      const entries = await findEntriesAt(site.db, "items", IDS, at);
      expect(sorted(toState(entries))).toEqual(sorted(state));
    }
  });
});

/** The records that two dumps have differently, as they are in each. */
function differenceOf(before: State, after: State): [ModelRecord | undefined, ModelRecord | undefined][] {
  const [old, now] = [toState(sorted(before)), toState(sorted(after))];
  const pairs = IDS.map((id): [ModelRecord | undefined, ModelRecord | undefined] => [
    old.get(id),
    now.get(id),
  ]);
  return pairs.filter(([one, other]) => !isDeepStrictEqual(one, other));
}

describe("patch notes", { timeout: 120_000 }, () => {
  it("equal the difference of two dumps that were taken then", async () => {
    for (let time = 0; time < TIMES; time++) {
      const from = draw(log.length - 1);
      const [one, other] = [log[from], log[from + 1 + draw(log.length - from - 1)]] as (typeof log)[number][];
      if (!one || !other) throw new Error("the log is empty");
      const range = { limit: 100, offset: 0 };
      const { total, changes } = await compareTimes(site.db, "items", { from: one.at, to: other.at }, range);
      const found = differenceOf(
        toState(changes.flatMap(({ before }) => before ?? [])),
        toState(changes.flatMap(({ after }) => after ?? [])),
      );
      expect(found, `${one.at.toISOString()} to ${other.at.toISOString()}`).toEqual(
        differenceOf(one.dump, other.dump),
      );
      expect(total).toBe(found.length);
    }
  });
});
