import type { RequestHandler } from "express";
import { relationLabel } from "../../records/relations/kinds.ts";
import { countRelations, listRelations } from "../../records/relations/queries.ts";
import { renderLine } from "../../records/relations/related-hit.ts";
import { groupInput } from "../../records/relations/schemas.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { renderPage } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, singularOf } from "../../words/kinds/kinds.ts";
import { entryId } from "../../words/urls.ts";
import type { CatalogueContext } from "../context.ts";
import { showMissing } from "./missing.ts";
import { readId } from "./page.ts";
import { findEntry } from "./queries.ts";

const PAGE_SIZE = 100;
/** An entry with more relations of one kind than this shows the first ones. */
const MOST = 10_000;

/** All entries that are related to one in the same way. */
export function showRelations(
  context: CatalogueContext,
  kind: CatalogueKind,
): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const id = readId(entryId(kind, req.params.id));
    const { relation, direction, page } = parseInput(groupInput, req);
    const [end, group] = [
      { kind: singularOf(kind), id },
      { relation, direction },
    ];
    const db = await snapshotFor(req, context.db);
    const [entry, total] = await Promise.all([
      findEntry(db, kind, id),
      countRelations(db, end, group, MOST + 1),
    ]);
    if (!entry) return showMissing(context, kind, id, req, res);
    const pagination = paginate(Math.min(total, MOST), page, PAGE_SIZE);
    const locale = { ...localeOf(req), everyKind: req.site.vocabulary };
    const range = { group, limit: PAGE_SIZE, offset: pagination.offset, words: locale.everyKind };
    const neighbours = await listRelations(db, end, range);
    const { t, format, paths } = locale;
    const { name, lang } = localName(entry, locale.language);
    const label = relationLabel(relation, direction, locale);
    const head = {
      title: `${name}: ${label}`,
      noindex: true,
      ...(total === 0 && { status: 404 }),
      styles: ["catalogue/catalogue"],
      dependsOn: ["catalogue", "relations"] as const,
    };
    await renderPage(req, res, "catalogue/relations", head, {
      trail: [
        [t(`kinds.${kind}.many`), paths.catalogue(kind)],
        [name, paths.entry(kind, id), lang],
      ],
      label,
      countText:
        total > MOST
          ? t("relations.first", { figure: format.number(MOST) })
          : t("relations.total", { count: total, figure: format.number(total) }),
      lines: neighbours.map((neighbour) => renderLine(kind, neighbour, locale)),
      pagination,
      pageUrl: (number: number) => paths.relations(kind, id, { relation, direction, page: number }),
    });
  };
}
