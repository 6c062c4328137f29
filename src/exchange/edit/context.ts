import type { Request, RequestHandler } from "express";
import type { Knex } from "knex";
import type { AttemptLimits } from "../../accounts/limits.ts";
import { requireSession } from "../../db/sessions.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { HttpError, notFound } from "../../web/pages/errors.ts";
import { viewerOf } from "../../web/pages/page.ts";
import { requireEditor, requireOperator } from "../../web/request/form.ts";
import { id as idSchema } from "../../web/request/params.ts";
import { actorOf } from "../../web/session/actor.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { type ReadKind, readKinds } from "../read/kinds.ts";
import type { RecordWriter } from "../write/record-writer.ts";

export type EditContext = BaseContext &
  Pick<AttemptLimits, "countReport" | "countServerTest"> & {
    readonly search: LiveSearch;
    readonly writer: RecordWriter;
  };

/** A kind of records with a form. Discounts have one of their own. */
export type EditKind = Exclude<ReadKind, "discounts">;

export function editKinds(): EditKind[] {
  return readKinds().filter((kind) => kind !== "discounts");
}

/** What texts and pictures call a kind. */
export function wordFor<Kind extends EditKind>(kind: Kind) {
  return (kind === "donate-items" ? "shop" : kind) as Exclude<Kind, "donate-items"> | "shop";
}

/** Editors change entries of the catalogue; servers and the shop are for operators alone. */
export const requireWriter: RequestHandler = (req, res, next) => {
  const { kind } = req.params;
  (kind === "servers" || kind === "donate-items" ? requireOperator : requireEditor)(req, res, next);
};

/** The kind that a path names. @throws HttpError 404 */
export function kindIn({ params }: Request): EditKind {
  const kind = editKinds().find((each) => each === params.kind);
  if (!kind) throw notFound("page");
  return kind;
}

/** The entry of the catalogue that a path names, there or not. @throws HttpError 404 */
export function entryIn(req: Request): { kind: CatalogueKind; id: string } {
  const { kind, id } = recordIn(req);
  if (!isCatalogueKind(kind)) throw notFound("page");
  return { kind, id };
}

/** The record that a path names, there or not. @throws HttpError 404 */
export function recordIn(req: Request): { kind: EditKind; id: string } {
  const kind = kindIn(req);
  const id = idSchema().safeParse(req.params.id);
  if (!id.success) throw notFound("entry");
  return { kind, id: id.data };
}

/** What every write of the pages has: its author, who must still have the role for it when it is committed. */
export function writeBy(req: Request, kind: EditKind) {
  const roles = isCatalogueKind(kind) ? ["editor", "operator"] : ["operator"];
  return {
    by: actorOf(req),
    site: req.site,
    repeatable: undefined,
    confirmAccess: async (transaction: Knex.Transaction | Knex) => {
      await requireSession(transaction, req.sessionID);
      const writers = transaction("users")
        .whereIn("role", roles)
        .where({ id: viewerOf(req).id });
      if (!(await writers.forShare().first("id")))
        throw new HttpError("forbidden", lazyText("errors.detail.operators_only"));
    },
  };
}
