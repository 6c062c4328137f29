import { type Endpoint, readEndpoint } from "../../web/api/endpoint.ts";
import { notFound } from "../../web/pages/errors.ts";
import { kindBySingular } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { hasEntry, listRelations, type Neighbour } from "./queries.ts";
import { relationsSchemas } from "./schemas.ts";

/** The related entries of an entry: relations from it before relations to it, kind by kind. */
export function relationEndpoints(): Endpoint[] {
  return [listOfRelations()];
}

function listOfRelations(): Endpoint {
  return readEndpoint({
    path: "/api/relations",
    operationId: "listRelations",
    access: "none",
    ...relationsSchemas(),
    problems: ["notFound"],
    cache: { dependsOn: ["catalogue", "relations"] },
    handle: async ({ kind, id, limit, offset }, { snapshot, baseUrl }) => {
      const db = await snapshot();
      const end = { kind, id };
      const [isThere, found] = await Promise.all([
        hasEntry(db, end),
        listRelations(db, end, { limit: limit + 1, offset }),
      ]);
      if (!isThere) throw notFound("entry");
      const relations = found.slice(0, limit).map((neighbour) => toRelation(neighbour, baseUrl));
      return { entity_kind: kind, entity_id: id, relations, more: found.length > limit };
    },
  });
}

function toRelation({ relation, direction, kind, id, name, count, chance }: Neighbour, baseUrl: string) {
  const url = absoluteUrl(baseUrl, paths.entry(kindBySingular(kind), id));
  return { relation, direction, kind, id, name, url, count, chance };
}
