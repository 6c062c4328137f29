import { z } from "zod";
import { hasEntry, type ListedNeighbour, neighboursTable } from "../../records/relations/queries.ts";
import { DIRECTIONS, relationFields, relationName } from "../../records/relations/schemas.ts";
import type { Endpoint } from "../../web/api/endpoint.ts";
import { gone, notFound } from "../../web/pages/errors.ts";
import { id, oneOf } from "../../web/request/params.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, catalogueKinds, kindBySingular, singularOf } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { type KeyColumn, pageOf } from "./lists.ts";
import { pagedList } from "./paged-list.ts";
import { nameFields } from "./record.ts";
import { findRemoved } from "./tombstone-queries.ts";

/** Those from the record before those to it, relation by relation, in the order of the page. */
const ORDER: readonly KeyColumn[] = [
  { sql: "direction", type: "text" },
  { sql: "relation", type: "text" },
  { sql: "place", type: "numeric" },
  { sql: "kind", type: "text" },
  { sql: "id", type: "text" },
];

/** The relations of one record of each kind of the catalogue, in the style of all lists. */
export function relationLists(): Endpoint[] {
  const { name, url, ...fields } = relationFields();
  const { names, category } = nameFields;
  const schema = z.object({ ...fields, name, names, category, url }).meta({ id: "RecordRelation" });
  return catalogueKinds().map((kind) => relationList(kind, schema));
}

function relationList(kind: CatalogueKind, schema: z.ZodObject): Endpoint {
  return pagedList({
    path: `/api/${kind}/{id}/relations`,
    operationId: "listRelationsOf",
    ofKind: kind,
    access: "session-or-key",
    // The same cost as lists of records.
    cost: 5,
    problems: ["notFound", "gone"],
    schema,
    input: {
      id: id(),
      relation: relationName.optional(),
      direction: oneOf(DIRECTIONS).optional(),
    },
    cache: { dependsOn: ["catalogue", "relations"] },
    async read({ id, relation, direction }, asked, { secret, baseUrl, snapshot }) {
      const db = await snapshot();
      const end = { kind: singularOf(kind), id };
      if (!(await hasEntry(db, end))) {
        const [removed] = await findRemoved(db, kind, [id]);
        throw removed ? gone(removed.removed_at) : notFound("entry");
      }
      const table = neighboursTable(db, end, { relation, direction });
      const sort = JSON.stringify([id, relation ?? null, direction ?? null]);
      const list = { secret, kind: `relations of ${kind}`, sort };
      const [page, counted] = await Promise.all([
        pageOf<ListedNeighbour>(db.select("neighbour.*").from(table), ORDER, list, asked),
        db.from(table).count<{ count: number }[]>({ count: "*" }).first(),
      ]);
      const rows = page.rows.map((row) => toJson(row, asked.language, baseUrl));
      return { total: counted?.count ?? 0, next: page.next, rows };
    },
  });
}

function toJson(row: ListedNeighbour, language: string | undefined, baseUrl: string) {
  const { relation, direction, kind, id, name, names, category, count, chance } = row;
  return {
    relation,
    direction,
    kind,
    id,
    count,
    chance,
    name: language === undefined ? name : localName({ name, names }, language).name,
    names,
    category,
    url: absoluteUrl(baseUrl, paths.entry(kindBySingular(kind), id)),
  };
}
