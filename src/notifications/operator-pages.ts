import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { recorded } from "../db/audit-queries.ts";
import { readQueueState } from "../db/jobs.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage } from "../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../web/request/form.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { oneOf, wholeNumber } from "../web/request/params.ts";
import { refuseOthers } from "../web/server/methods.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { actorOf } from "../web/session/actor.ts";
import { leaveFlash } from "../web/session/session.ts";
import { localName } from "../words/i18n/local-name.ts";
import { paths } from "../words/urls.ts";
import { SENDING } from "./channels.ts";
import { discardDead, retryDead } from "./deliveries-queries.ts";
import { countDeliveries, DEAD_LISTED, type DeadDelivery, listDead } from "./operator-queries.ts";
import { eventText, reasonText } from "./webhooks/shown.ts";

/** `retry-all` needs no id. */
const deliveryForm = z.object({
  action: oneOf(["retry", "discard", "retry-all"]),
  id: wholeNumber(1, 999_999_999_999_999).optional(),
});

/** Where operators see failed deliveries, and retry or discard them. */
export function operatorDeliveryPages({ config, db }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operatorDeliveries())
    .get(requireOperator, showDeliveries(db, config))
    .post(readOperatorForm, changeDelivery(db))
    .all(refuseOthers);
  return router;
}

function showDeliveries(db: Knex, config: BaseContext["config"]): RequestHandler {
  const missing = new Set(SENDING.flatMap(({ delivery }) => delivery.missing?.(config) ?? []));
  return async (req, res) => {
    const locale = localeOf(req);
    const { t } = locale;
    const [counts, dead, queue] = await Promise.all([countDeliveries(db), listDead(db), readQueueState(db)]);
    const head = {
      title: t("operator.deliveries.title"),
      noindex: true,
      styles: ["notifications/notifications"],
    };
    await renderPage(req, res, "notifications/deliveries", head, {
      counts: counts.map((count) => ({ ...count, label: channelName(count.channel, locale) })),
      dead: dead.map((delivery) => ({ ...delivery, ...deadInWords(delivery, locale) })),
      hasNotifications: dead.some(({ message }) => message === null),
      queue,
      missing: [...missing].map((key) => t(key)),
      listed: DEAD_LISTED,
    });
  };
}

function channelName(channel: string, { t }: Locale): string {
  const found = SENDING.find(({ name }) => name === channel);
  return found ? t(found.delivery.label) : channel;
}

/** Describes a failed delivery: its content, its receiver and the reason. */
function deadInWords(delivery: DeadDelivery, locale: Locale) {
  const { t, language, paths } = locale;
  const { message, channel, user_name: user } = delivery;
  if (message) {
    const { to: name } = message;
    const what = { name: eventText(message, locale), lang: undefined, href: undefined };
    const to =
      user === null ? t("webhooks.delivery.to_site", { name }) : t("webhooks.delivery.to", { name, user });
    return { what, to, whose: `${what.name}, ${to}`, why: reasonText(delivery.reason, t) };
  }
  const { item_name, item_names: names, item_key, server_id, server_name } = delivery;
  const { name, lang } = localName({ name: item_name ?? server_name ?? "", names }, language);
  const href =
    server_id !== null ? paths.server(server_id) : item_key === null ? undefined : paths.donateItem(item_key);
  return {
    what: { name, lang, href },
    to: t("operator.deliveries.to", { channel: channelName(channel, locale), user }),
    whose: t("operator.deliveries.of", { item: name, user }),
    // Mail servers and push services answer in English.
    why: delivery.reason ?? undefined,
    whyLang: delivery.reason === null ? undefined : "en",
  };
}

function changeDelivery(db: Knex): RequestHandler {
  return async (req, res) => {
    const { action, id = 0 } = parseInput(deliveryForm, req);
    const { t, format } = localeOf(req);
    if (action === "retry-all") {
      const count = await recorded(
        db,
        actorOf(req),
        (transaction) => retryDead(transaction),
        (changed) => (changed > 0 ? { action: "delivery.retried", after: { count: changed } } : undefined),
      );
      logSecurity(req, "delivery.retried", { count });
      const figure = format.number(count);
      return backToDeliveries(req, res, t("operator.deliveries.all_retried", { figure }));
    }
    const event = action === "retry" ? "delivery.retried" : "delivery.discarded";
    const changed = await recorded(
      db,
      actorOf(req),
      (transaction) => (action === "retry" ? retryDead(transaction, id) : discardDead(transaction, id)),
      (count) => (count > 0 ? { action: event, subject: `deliveries/${id}` } : undefined),
    );
    if (changed === 0) throw notFound("delivery");
    logSecurity(req, event, { delivery: id, count: changed });
    const done = action === "retry" ? t("operator.deliveries.retried") : t("operator.deliveries.discarded");
    await backToDeliveries(req, res, done);
  };
}

async function backToDeliveries(req: Request, res: Response, flash: string): Promise<void> {
  await leaveFlash(req, flash);
  res.redirect(303, localeOf(req).paths.operatorDeliveries());
}
