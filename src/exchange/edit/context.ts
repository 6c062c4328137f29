import type { Request } from "express";
import type { Knex } from "knex";
import { requireSession } from "../../db/sessions.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { HttpError, notFound } from "../../web/pages/errors.ts";
import { viewerOf } from "../../web/pages/page.ts";
import { id as idSchema } from "../../web/request/params.ts";
import { actorOf } from "../../web/session/actor.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import type { RecordWriter } from "../write/record-writer.ts";

export type EditContext = BaseContext & { readonly search: LiveSearch; readonly writer: RecordWriter };

/** The kind that a path names. @throws HttpError 404 */
export function kindIn({ params }: Request): CatalogueKind {
  const kind = catalogueKinds().find((each) => each === params.kind);
  if (!kind) throw notFound("page");
  return kind;
}

/** The record that a path names, there or not. @throws HttpError 404 */
export function recordIn(req: Request): { kind: CatalogueKind; id: string } {
  const kind = kindIn(req);
  const id = idSchema().safeParse(req.params.id);
  if (!id.success) throw notFound("entry");
  return { kind, id: id.data };
}

/** What every write of the pages has: its author, who must still be an editor when it is committed. */
export function writeBy(req: Request) {
  return {
    by: actorOf(req),
    site: req.site,
    repeatable: undefined,
    confirmAccess: async (transaction: Knex.Transaction | Knex) => {
      await requireSession(transaction, req.sessionID);
      const editors = transaction("users")
        .whereIn("role", ["editor", "operator"])
        .where({ id: viewerOf(req).id });
      if (!(await editors.forShare().first("id")))
        throw new HttpError("forbidden", lazyText("errors.detail.operators_only"));
    },
  };
}
