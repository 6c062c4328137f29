import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { readQueueState } from "../db/jobs.ts";
import { shownName } from "../records/shown-name.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage } from "../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../web/request/form.ts";
import { parseInput } from "../web/request/input.ts";
import { localeOf } from "../web/request/locale.ts";
import { oneOf, wholeNumber } from "../web/request/params.ts";
import { only } from "../web/server/methods.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { leaveFlash } from "../web/session/session.ts";
import { paths } from "../words/urls.ts";
import { SENDING } from "./channels.ts";
import { countDeliveries, DEAD_LISTED, discardDead, listDead, retryDead } from "./operator-queries.ts";
import type { OtherDeliveries } from "./other-deliveries.ts";

const id = wholeNumber(1, 999_999_999_999_999).optional();

/** `retry-all` needs no id. */
const deliveryForm = z.object({
  action: oneOf(["retry", "discard", "retry-all"]),
  id,
  /** Which deliveries it is about; notifications unless said. */
  of: oneOf(["others"]).optional(),
});

/** Where operators see failed deliveries, and retry or discard them. */
export function operatorDeliveryPages({ config, db }: BaseContext, others: OtherDeliveries): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operatorDeliveries())
    .get(requireOperator, showDeliveries(db, config, others))
    .post(readOperatorForm, changeDelivery(db, others))
    .all(only("GET", "HEAD", "POST"));
  return router;
}

function showDeliveries(db: Knex, config: BaseContext["config"], others: OtherDeliveries): RequestHandler {
  const missing = new Set(SENDING.flatMap(({ delivery }) => delivery.missing?.(config) ?? []));
  return async (req, res) => {
    const locale = localeOf(req);
    const { t, language } = locale;
    const [counts, dead, queue, otherCounts, otherDead] = await Promise.all([
      countDeliveries(db),
      listDead(db),
      readQueueState(db),
      others.count(db, locale),
      others.listDead(db, locale),
    ]);
    const channels = Object.fromEntries(SENDING.map(({ name, delivery }) => [name, t(delivery.label)]));
    const head = {
      title: t("operator.deliveries.title"),
      noindex: true,
      styles: ["notifications/notifications"],
    };
    await renderPage(req, res, "notifications/deliveries", head, {
      counts: [...counts.map((count) => ({ ...count, label: channels[count.channel] })), ...otherCounts],
      otherDead,
      dead: dead.map((delivery) => ({
        ...delivery,
        shown: shownName(
          { name: delivery.item_name ?? delivery.server_name ?? "", names: delivery.item_names },
          language,
        ),
      })),
      queue,
      channels,
      missing: [...missing].map((key) => t(key)),
      listed: DEAD_LISTED,
    });
  };
}

function changeDelivery(db: Knex, others: OtherDeliveries): RequestHandler {
  return async (req, res) => {
    const { action, id = 0, of } = parseInput(deliveryForm, req);
    const { t, format } = localeOf(req);
    if (action === "retry-all") {
      const count = (await retryDead(db)) + (await others.retryDead(db));
      logSecurity(req, "delivery.retried", { count });
      return backToDeliveries(
        req,
        res,
        t("operator.deliveries.all_retried", { figure: format.number(count) }),
      );
    }
    const store = of === "others" ? others : { retryDead, discardDead };
    const changed = action === "retry" ? await store.retryDead(db, id) : await store.discardDead(db, id);
    if (changed === 0) throw notFound("delivery");
    const event = action === "retry" ? "delivery.retried" : "delivery.discarded";
    logSecurity(req, event, { delivery: id, count: changed });
    const done = action === "retry" ? t("operator.deliveries.retried") : t("operator.deliveries.discarded");
    await backToDeliveries(req, res, done);
  };
}

async function backToDeliveries(req: Request, res: Response, flash: string): Promise<void> {
  await leaveFlash(req, flash);
  res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.operatorDeliveries());
}
