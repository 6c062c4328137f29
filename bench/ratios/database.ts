import { once } from "node:events";
import type { Knex } from "knex";
import { from as copyFrom } from "pg-copy-streams";
import type { Item } from "./items.ts";

const COLUMNS = ["id", "name", "names", "category", "popularity"];

/** Puts items into the emptied table by COPY, in one transaction. */
export async function fillItems(db: Knex, items: Iterable<Item>): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("truncate items cascade");
    const connection = await trx.client.acquireConnection();
    const copy = connection.query(copyFrom(`copy items (${COLUMNS.join(", ")}) from stdin`));
    for (const chunk of chunksOf(items)) {
      if (!copy.write(chunk)) await once(copy, "drain");
    }
    copy.end();
    await once(copy, "finish");
  });
  await db.raw("vacuum analyze items");
}

function* chunksOf(items: Iterable<Item>): Generator<string> {
  let chunk = "";
  for (const item of items) {
    chunk += copyLine(item);
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/** Generated names hold neither tabs, backslashes nor line breaks, so only the nothing needs an escape. */
function copyLine({ id, name, nameRu, category, popularity }: Item): string {
  const names = JSON.stringify({ en: name, ru: nameRu });
  return `${[id, name, names, category, popularity ?? "\\N"].join("\t")}\n`;
}
