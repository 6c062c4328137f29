import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { writeLocked } from "../../src/exchange/edit/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { mergeRecords } from "../../src/exchange/imports/merge.ts";
import { UndoRefusedError, undoImport } from "../../src/exchange/imports/undo.ts";
import { removeRecords } from "../../src/exchange/write/record-write.ts";
import { createDraw, type Draw } from "../../src/nicknames/random.ts";
import { useTestApp } from "../helpers/app.ts";
import { FIELDS, Model } from "../helpers/catalogue-model.ts";
import { emptyTables } from "../helpers/database.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** `UNDO_SEQUENCES=1000` runs more. A sequence has the same steps in every run. */
const SEQUENCES = Number(process.env.UNDO_SEQUENCES ?? 20);
const STEPS = 14;

const site = useTestApp();
let key: string;
let users: number[];

beforeAll(async () => {
  users = [(await site.createUser()).id, (await site.createUser()).id];
  ({ key } = await addWriteKey(site.db, users[0] ?? 0));
});

const IDS = ["a", "b", "c", "d", "e"];
const NAMES = ["Iron", "Gold", "Salt"];
const IMAGES = ["/a.png", "/b.png"];
const SOURCES = [undefined, "wiki", "game"];

async function readSite(): Promise<unknown> {
  const { db } = site;
  const relations: { from_id: string; to_id: string }[] = await db("relations").select("from_id", "to_id");
  return {
    records: await db("items").orderBy("id").select("id", "name", "image", "locked"),
    owners: await db("record_sources").orderBy("id").select("id", "source"),
    stars: (await db("entity_favorites").select("user_id", "entity_id"))
      .map(({ user_id, entity_id }) => `${entity_id} ${user_id}`)
      .sort(),
    removed: await db("catalogue_tombstones").orderBy("id").select("id", "merged_into"),
    relations: relations.map(({ from_id, to_id }) => `${from_id}>${to_id}`).sort(),
  };
}

function readModel({ records, owners, stars, graves, relations }: Model): unknown {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    records: sorted(records).map(([id, { name, image, locked }]) => ({ id, name, image, locked })),
    owners: sorted(owners).map(([id, source]) => ({ id, source })),
    stars: [...stars].flatMap(([id, of]) => [...of.keys()].map((user) => `${id} ${user}`)).sort(),
    removed: sorted(graves).map(([id, { into = null }]) => ({ id, merged_into: into })),
    relations: [...relations].sort(),
  };
}

const pick = <Value>(draw: Draw, values: readonly Value[]) => values[draw(values.length)] as Value;

type Step = (draw: Draw, model: Model) => Promise<string>;

async function runImport(draw: Draw, model: Model): Promise<string> {
  const records = IDS.filter(() => draw(2) === 0).map((id) => {
    return { id, name: pick(draw, NAMES), image: pick(draw, IMAGES) };
  });
  const source = pick(draw, SOURCES);
  const prune = draw(2) === 0;
  const options = { by: COMMAND, origin: { source }, ...(prune && { prune, force: true }) };
  const { id = 0 } = await importRecords(site.db, "items", records, options);
  model.import(id, new Map(records.map(({ id, ...fields }) => [id, fields])), source, prune);
  return `import ${id} of ${source}: ${JSON.stringify(records)}${prune ? " with --prune" : ""}`;
}

async function runUndo(draw: Draw, model: Model): Promise<string> {
  // Mostly one of the latest, as much of an older one is touched by then.
  const numbers = [...model.imports.keys()].slice(draw(3) === 0 ? 0 : -2);
  const [id, alsoTouched] = [pick(draw, numbers), draw(3) === 0];
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

async function runMerge(draw: Draw, model: Model): Promise<string> {
  const ids = draw(4) === 0 || model.records.size < 2 ? IDS : [...model.records.keys()];
  const [from, into] = [pick(draw, ids), pick(draw, ids)];
  const isPossible = model.canMerge(from, into);
  try {
    const { id } = await mergeRecords(site.db, { kind: "items", from, into }, { by: COMMAND });
    expect(isPossible, `merged ${from} into ${into}`).toBe(true);
    model.merge(id, from, into);
    return `merge ${from} into ${into} by ${id}`;
  } catch (error) {
    if (!(error instanceof UndoRefusedError)) throw error;
    expect(isPossible, `merge of ${from} into ${into}: ${error.message}`).toBe(false);
    return `merge ${from} into ${into} is refused`;
  }
}

async function runStar(draw: Draw, model: Model): Promise<string> {
  const [id, user] = [pick(draw, [...model.records.keys()]), pick(draw, users)];
  if (id === undefined) return "nothing";
  model.star(id, user);
  await site.db("entity_favorites").insert({ user_id: user, item_id: id }).onConflict().ignore();
  return `star ${id} for ${user}`;
}

async function runLock(draw: Draw, model: Model): Promise<string> {
  const [id, locked] = [pick(draw, IDS), FIELDS.filter(() => draw(2) === 0)];
  const isChanged = await writeLocked(site.db, COMMAND, { kind: "items", id }, () => locked);
  if (isChanged) model.lock(id, locked);
  return `lock ${locked.join(" and ")} of ${id}`;
}

async function runRelation(draw: Draw, model: Model): Promise<string> {
  const from = pick(draw, IDS);
  const others = IDS.filter((id) => id !== from);
  const to = pick(draw, others);
  const isRemoval = draw(4) === 0;
  const relation = { from: `item:${from}`, kind: "made-of", to: `item:${to}` };
  if (isRemoval) {
    const ids = [`item:${from} made-of item:${to}`];
    await site.db.transaction((transaction) => removeRecords(transaction, "relations", ids));
    model.relations.delete(`${from}>${to}`);
    return `unrelate ${from} ${to}`;
  }
  await importRecords(site.db, "relations", [relation], { isSmall: true, isEdit: true });
  model.relate(from, to);
  return `relate ${from} ${to}`;
}

async function runPut(draw: Draw, model: Model): Promise<string> {
  const [id, name] = [pick(draw, IDS), pick(draw, NAMES)];
  await request(site.app).put(`/api/items/${id}`).set("X-API-Key", key).send({ name });
  model.put(id, name);
  return `put ${id} ${name}`;
}

async function runDelete(draw: Draw, model: Model): Promise<string> {
  const id = pick(draw, IDS);
  await request(site.app).delete(`/api/items/${id}`).set("X-API-Key", key);
  model.remove(id, 0);
  return `delete ${id}`;
}

const WAYS: readonly Step[] = [
  ...[runImport, runImport, runImport, runImport, runUndo, runUndo, runUndo, runUndo, runUndo, runPut],
  ...[runDelete, runMerge, runMerge, runMerge, runStar, runStar, runLock, runLock, runRelation, runRelation],
];

describe("random imports, prunes, edits, locks, merges, stars, relations and undos", () => {
  it.each(Array.from({ length: SEQUENCES }, (_, number) => number))(
    "leave what the model has: sequence %i",
    async (number) => {
      const tables = "items, relations, imports, import_changes, record_sources, entity_favorites";
      await emptyTables(site.db, tables);
      await site.db("catalogue_tombstones").delete();
      const [draw, model, done] = [createDraw(`undo ${number}`), new Model(), [] as string[]];
      for (let at = 0; at < STEPS; at++) {
        done.push(await pick(draw, WAYS)(draw, model));
        expect(await readSite(), done.join("\n")).toEqual(readModel(model));
      }
    },
  );
});
