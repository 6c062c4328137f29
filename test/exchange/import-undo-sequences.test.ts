import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { UndoRefusedError, undoImport } from "../../src/exchange/imports/undo.ts";
import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import { useTestApp } from "../helpers/app.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** `UNDO_SEQUENCES=1000` runs more. A sequence has the same steps in every run. */
const SEQUENCES = Number(process.env.UNDO_SEQUENCES ?? 60);
const STEPS = 10;

const site = useTestApp();
let key: string;
let userId: number;

beforeAll(async () => {
  userId = (await site.createUser()).id;
  ({ key } = await addWriteKey(site.db, userId));
});

const IDS = ["a", "b", "c", "d", "e"];
const NAMES = ["Iron", "Gold", "Salt"];
const SOURCES = [undefined, "wiki", "game"];

interface ModelRecord {
  readonly name: string;
  /** Another one after each write. */
  readonly stamp: number;
}

interface Change {
  readonly action: "added" | "changed" | "removed" | "kept";
  readonly before: string | undefined;
  readonly stamp: number | undefined;
  readonly isStarred: boolean;
  readonly owner: string | undefined;
  readonly newOwner: string | undefined;
}

/** What the site has to do, on maps instead of tables. */
class Model {
  readonly records = new Map<string, ModelRecord>();
  readonly owners = new Map<string, string>();
  readonly stars = new Set<string>();
  /** The imports that removed records; 0: a write of the API did. */
  readonly graves = new Map<string, number>();
  readonly imports = new Map<number, Map<string, Change>>();
  readonly undone = new Set<number>();
  #stamp = 0;

  put(id: string, name: string): void {
    if (this.records.get(id)?.name !== name) this.records.set(id, { name, stamp: ++this.#stamp });
    this.graves.delete(id);
  }

  remove(id: string, by: number): void {
    if (this.records.delete(id)) this.graves.set(id, by);
    this.stars.delete(id);
  }

  import(
    number: number,
    file: ReadonlyMap<string, string>,
    source: string | undefined,
    prune: boolean,
  ): void {
    const changes = new Map<string, Change>();
    const isGone = (id: string) => !file.has(id) && (source === undefined || this.owners.get(id) === source);
    for (const id of prune ? [...this.records.keys()].filter(isGone) : []) {
      changes.set(id, this.#change(id, "removed", this.owners.get(id)));
      this.remove(id, number);
    }
    for (const [id, name] of file) {
      const known = this.records.get(id);
      const action = known === undefined ? "added" : known.name === name ? "kept" : "changed";
      const change = this.#change(id, action, source);
      this.put(id, name);
      if (action !== "kept" || this.owners.get(id) !== source)
        changes.set(id, { ...change, stamp: this.records.get(id)?.stamp });
      this.#own(id, source);
    }
    this.imports.set(number, changes);
  }

  /** What an undo puts back; undefined: nothing, so it is refused. */
  plan(undone: number, alsoTouched: boolean): [string, Change, Change["action"]][] | undefined {
    if (this.undone.has(undone)) return undefined;
    const planned = [...(this.imports.get(undone) ?? [])].flatMap(([id, change]) => {
      const action = this.#inverse(id, change);
      const isLeft = action === undefined || (this.isTouched(id, change, undone) && !alsoTouched);
      return isLeft ? [] : [[id, change, action] as [string, Change, Change["action"]]];
    });
    return planned.length > 0 ? planned : undefined;
  }

  undo(undone: number, number: number, planned: readonly [string, Change, Change["action"]][]): void {
    const changes = new Map<string, Change>();
    for (const [id, was, action] of planned) {
      const change = this.#change(id, action, was.owner);
      if (action === "removed") this.remove(id, number);
      if (action === "added" || action === "changed") this.#rewrite(id, was.before ?? "");
      if (action === "added" && was.isStarred) this.stars.add(id);
      this.#own(id, was.owner);
      changes.set(id, { ...change, stamp: action === "removed" ? undefined : this.records.get(id)?.stamp });
    }
    this.undone.add(undone);
    this.imports.set(number, changes);
  }

  isTouched(id: string, change: Change, number: number): boolean {
    const known = this.records.get(id);
    if (change.action === "kept") return false;
    if (change.action === "removed") return known !== undefined || this.graves.get(id) !== number;
    return known?.stamp !== change.stamp || this.owners.get(id) !== change.newOwner;
  }

  #inverse(id: string, change: Change): Change["action"] | undefined {
    if (change.action === "kept") return this.owners.get(id) === change.newOwner ? "kept" : undefined;
    const isThere = this.records.has(id);
    if (change.before === undefined) return isThere ? "removed" : undefined;
    return isThere ? "changed" : "added";
  }

  #change(id: string, action: Change["action"], newOwner: string | undefined): Change {
    const known = this.records.get(id);
    return {
      action,
      before: action === "kept" ? undefined : known?.name,
      stamp: undefined,
      isStarred: action === "removed" && this.stars.has(id),
      owner: this.owners.get(id),
      newOwner,
    };
  }

  /** An undo writes a new revision even where the values are the same. */
  #rewrite(id: string, name: string): void {
    this.records.set(id, { name, stamp: ++this.#stamp });
    this.graves.delete(id);
  }

  #own(id: string, source: string | undefined): void {
    if (source === undefined) this.owners.delete(id);
    else this.owners.set(id, source);
  }
}

async function readSite(): Promise<unknown> {
  const { db } = site;
  return {
    records: await db("items").orderBy("id").select("id", "name"),
    owners: await db("record_sources").orderBy("id").select("id", "source"),
    stars: await db("entity_favorites").orderBy("entity_id").pluck("entity_id"),
    removed: await db("catalogue_tombstones").orderBy("id").pluck("id"),
  };
}

function readModel({ records, owners, stars, graves }: Model): unknown {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    records: sorted(records).map(([id, { name }]) => ({ id, name })),
    owners: sorted(owners).map(([id, source]) => ({ id, source })),
    stars: [...stars].sort(),
    removed: sorted(graves).map(([id]) => id),
  };
}

const pick = <Value>(draw: Draw, values: readonly Value[]) => values[draw(values.length)] as Value;

/** Does something at random to the site and the model; returns what, for a failure's message. */
async function step(draw: Draw, model: Model): Promise<string> {
  const way = draw(10);
  if (way < 4) return runImport(draw, model);
  if (way < 7) return runUndo(draw, model);
  const id = pick(draw, IDS);
  if (way === 7) {
    if (!model.records.has(id)) return "nothing";
    model.stars.add(id);
    await site.db("entity_favorites").insert({ user_id: userId, item_id: id }).onConflict().ignore();
    return `star ${id}`;
  }
  const isPut = way === 8;
  const ask = request(site.app)[isPut ? "put" : "delete"](`/api/items/${id}`).set("X-API-Key", key);
  const name = pick(draw, NAMES);
  await (isPut ? ask.send({ name }) : ask);
  if (isPut) model.put(id, name);
  else model.remove(id, 0);
  return isPut ? `put ${id} ${name}` : `delete ${id}`;
}

async function runImport(draw: Draw, model: Model): Promise<string> {
  const file = new Map(IDS.filter(() => draw(2) === 0).map((id) => [id, pick(draw, NAMES)]));
  const source = pick(draw, SOURCES);
  const prune = draw(2) === 0;
  const records = [...file].map(([id, name]) => ({ id, name }));
  const options = { by: COMMAND, origin: { source }, ...(prune && { prune, force: true }) };
  const { id = 0 } = await importRecords(site.db, "items", records, options);
  model.import(id, file, source, prune);
  return `import ${id} of ${source}: ${JSON.stringify(records)}${prune ? " with --prune" : ""}`;
}

async function runUndo(draw: Draw, model: Model): Promise<string> {
  const [id, alsoTouched] = [pick(draw, [...model.imports.keys()]), draw(3) === 0];
  if (id === undefined) return "nothing";
  const planned = model.plan(id, alsoTouched);
  try {
    const { id: number } = await undoImport(site.db, id, { by: COMMAND, alsoTouched });
    expect(planned, `undo ${id} does nothing`).toBeDefined();
    model.undo(id, number, planned ?? []);
    return `undo ${id} by ${number}${alsoTouched ? ", touched ones too" : ""}`;
  } catch (error) {
    if (!(error instanceof UndoRefusedError)) throw error;
    expect(planned, `undo ${id} was refused: ${error.message}`).toBeUndefined();
    return `undo ${id} is refused`;
  }
}

describe("random imports, prunes, edits, stars and undos", () => {
  it.each(Array.from({ length: SEQUENCES }, (_, number) => number))(
    "leave what the model has: sequence %i",
    async (number) => {
      await site.db.raw("truncate items, imports, import_changes, record_sources, entity_favorites cascade");
      await site.db("catalogue_tombstones").delete();
      const [draw, model, done] = [createDraw(`undo ${number}`), new Model(), [] as string[]];
      for (let at = 0; at < STEPS; at++) {
        done.push(await step(draw, model));
        expect(await readSite(), done.join("\n")).toEqual(readModel(model));
      }
    },
  );
});
