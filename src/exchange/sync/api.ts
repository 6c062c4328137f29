import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { type Endpoint, type EndpointContext, endpoint } from "../../web/api/endpoint.ts";
import { badInput, HttpError } from "../../web/pages/errors.ts";
import { type Admission, admitFew } from "../../web/server/admission.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { readKindName } from "../read/kinds.ts";
import type { RecordLocale } from "../read/record.ts";
import type { AnyRecordKind, recordKinds } from "../read/record-kinds.ts";
import { findEnd, listChanges, versionSince } from "./changes-queries.ts";
import { type Cursor, readCursor } from "./cursor.ts";
import { changesInput, changesOutput } from "./schemas.ts";
import { DUMP_TYPE, sendDump } from "./send-dump.ts";
import { shapeOf } from "./shape.ts";

/** Calls that a dump counts as: it may be a hundred megabytes. */
const DUMP_COST = 10;

/** What a copy of a kind elsewhere lives on: a file to start with, and what changed since. */
export function mirrorEndpoints(records: ReturnType<typeof recordKinds>): Endpoint[] {
  const admit = admitFew();
  const outputs = new Map<z.ZodType, ReturnType<typeof changesOutput>>();
  return catalogueKinds().flatMap((kind) => {
    const ofKind = records.get(kind);
    if (!ofKind) return [];
    // One for all kinds with the same records, so that the document describes it once.
    const output = outputs.get(ofKind.schema) ?? changesOutput(ofKind.schema);
    outputs.set(ofKind.schema, output);
    return [changesOf(kind, ofKind, output), dumpOf(kind, ofKind, admit)];
  });
}

/** What the endpoints of a kind have in common. */
function forKind(kind: CatalogueKind) {
  return {
    method: "GET",
    access: "session-or-key",
    ofKind: { kind, name: (t) => readKindName(kind, t) },
    readsSite: true,
  } satisfies Partial<Endpoint>;
}

function changesOf(
  kind: CatalogueKind,
  records: AnyRecordKind,
  output: ReturnType<typeof changesOutput>,
): Endpoint {
  return endpoint({
    ...forKind(kind),
    path: paths.changesApi(kind),
    operationId: "listChanges",
    input: changesInput,
    output,
    knowsRemoved: true,
    changesWith: records.changesWith,
    handle: async ({ limit, ...since }, { db, site, baseUrl }) => {
      const reader = readerOf(site);
      const after = await afterWhich(db, kind, since);
      const page = after && (await listChanges(db, kind, { after, limit, shape: shapeOf(kind, reader) }));
      if (!page) throw startAgain(kind, baseUrl);
      const rows =
        page.changes.length > 0
          ? await records.find(
              db,
              page.changes.map(({ id }) => id),
            )
          : [];
      const found = new Map(rows.map((row) => [row.id, row]));
      const changes = page.changes.map(({ version, id, at }) => {
        const row = found.get(id);
        return {
          version,
          id,
          change: row ? ("changed" as const) : ("removed" as const),
          at: at.toISOString(),
          record: row ? records.toJson(row, reader) : null,
        };
      });
      return { changes, next: page.next, complete: page.complete };
    },
  });
}

/** Undefined: so long ago is not known any more. */
async function afterWhich(
  db: Db,
  kind: CatalogueKind,
  { since, updated_since }: { since?: string | undefined; updated_since?: Date | undefined },
): Promise<Cursor | undefined> {
  if ((since === undefined) === (updated_since === undefined)) {
    throw badInput([{ param: "since", message: lazyText("input.either", { other: "updated_since" }) }]);
  }
  if (since !== undefined) return readCursor(since);
  const version = updated_since && (await versionSince(db, kind, updated_since));
  return version === undefined ? undefined : readCursor(`${version}`);
}

/** 410 for changes that are not known any more. */
function startAgain(kind: CatalogueKind, baseUrl: string): HttpError {
  const dump = absoluteUrl(baseUrl, paths.dump(kind));
  return new HttpError("gone", lazyText("errors.detail.changes_forgotten", { dump }), {
    headers: { Link: `<${dump}>; rel="start"` },
  });
}

function dumpOf(kind: CatalogueKind, records: AnyRecordKind, admit: Admission): Endpoint {
  return endpoint({
    ...forKind(kind),
    path: paths.dump(kind),
    operationId: "getDump",
    cost: DUMP_COST,
    input: z.object({}),
    output: z.custom<{ reader: RecordLocale; since: string }>(),
    handle: async (_input, { db, site }) => {
      const reader = readerOf(site);
      return { reader, since: await findEnd(db, kind, shapeOf(kind, reader)) };
    },
    file: {
      type: DUMP_TYPE,
      send: async ({ reader, since }, { req, res }, { db }) => {
        const send = admit(() => sendDump(req, res, { kind, records, reader, since, db }));
        await send(req, res, () => undefined);
      },
    },
  });
}

function readerOf(site: EndpointContext["site"]) {
  if (!site) throw new Error("the endpoint does not say that it reads the site");
  return { site };
}
