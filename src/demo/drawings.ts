import { readFile } from "node:fs/promises";
import type { Drawn, DrawnKind } from "../../seeds/demo/pictures/index.ts";
import { nameOfBytes } from "../pictures/make-sizes.ts";
import { LARGE, pictureColumn } from "../records/stored-picture.ts";

/** The pictures of the demo's records, which the program draws itself (seeds/demo/pictures). */
export interface Drawings {
  /** Values of the column `picture` by id, for each kind that has pictures. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Draws SVG, by the name of a picture: all at once would take 3 MB. */
  readonly byName: ReadonlyMap<string, () => string | undefined>;
}

let drawings: Promise<Drawings> | undefined;

/** All drawings; they are made once a process, when somebody needs them. */
export function loadDrawings(): Promise<Drawings> {
  drawings ??= drawAll();
  return drawings;
}

async function drawAll(): Promise<Drawings> {
  const { DRAWN_KINDS, pictureOf } = await import("../../seeds/demo/pictures/index.ts");
  const byName = new Map<string, () => string | undefined>();
  const columns = new Map<string, Map<string, string>>();
  for (const kind of DRAWN_KINDS) {
    const ofKind = new Map<string, string>();
    for (const record of await readRecords(kind)) {
      const svg = pictureOf(kind, record);
      if (svg === undefined) continue;
      const name = nameOfBytes(Buffer.from(svg));
      byName.set(name, () => pictureOf(kind, record));
      ofKind.set(record.id, pictureColumn({ name, width: LARGE, height: LARGE }));
    }
    columns.set(kind, ofKind);
  }
  return { columns, byName };
}

async function readRecords(kind: DrawnKind): Promise<Drawn[]> {
  const file = new URL(`../../seeds/demo/${kind}.json`, import.meta.url);
  const records: Drawn[] = JSON.parse(await readFile(file, "utf8"));
  return records.map(({ id, category }) => ({ id, category }));
}
