import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { toggleFavorite } from "../accounts/favorites/queries.ts";
import {
  type AlertableServer,
  findAskableServer,
  saveAsked,
  type UserAlert,
} from "../notifications/alerts/user-alert-queries.ts";
import { findMailAddress, loadSettings } from "../notifications/settings-queries.ts";
import { outageChoices, USUAL_OUTAGE_MIN } from "../notifications/webhooks/schemas.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPage, requireLogin, viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readForm, readTypedForm, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { id, oneOf, wholeNumber } from "../web/request/params.ts";
import { refuseOthers } from "../web/server/methods.ts";
import { leaveFlash } from "../web/session/session.ts";
import { paths } from "../words/urls.ts";

/** The greatest limits, far above what any server has. */
const [LONGEST_QUEUE, MOST_ONLINE] = [9_999, 99_999];

/** The minutes to choose from; an outage has to last that long. */
const OUTAGE_MINUTES = [0, 2, 5, 10];

const mark = oneOf(["1"]).optional();

/** An empty limit means no alert. */
const form = z.object({
  down: mark,
  up: mark,
  outage_min: wholeNumber(0, 10).default(USUAL_OUTAGE_MIN),
  slot: mark,
  queue: wholeNumber(1, LONGEST_QUEUE).optional(),
  online: wholeNumber(0, MOST_ONLINE).optional(),
});

const FIELDS = Object.keys(form.shape);

type AlertForm = z.output<typeof form>;

/** The form of a user's alerts for a server. */
export function serverAlertPages({ db, config }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(`${paths.servers()}/:id/alerts`)
    .get(requireLogin, showAlerts(db, config))
    .post(readTypedForm(FIELDS), saveAlerts(db, config))
    .all(refuseOthers);
  return router;
}

type Config = BaseContext["config"];

function showAlerts(db: Knex, config: Config): RequestHandler {
  return async (req, res) => {
    const server = await requireServer(db, req);
    await renderAlerts({ db, config, req, res, server });
  };
}

/** Makes the server a favorite, because alerts need one. */
function saveAlerts(db: Knex, config: Config): RequestHandler {
  return async (req, res) => {
    const server = await requireServer(db, req);
    const read = readForm(form, req);
    const errors = read.errors ?? aboveSlots(req, read.values, server);
    if (errors) return renderAlerts({ db, config, req, res, server, errors });
    const alerts = readAlerts(read.values as AlertForm);
    const { outage_min: outageMin } = read.values as AlertForm;
    const userId = viewerOf(req).id;
    await db.transaction(async (transaction) => {
      const isFavorite =
        alerts.length === 0 ||
        (await toggleFavorite(transaction, userId, "server", server.id, "yes")) === true;
      if (!isFavorite) throw notFound("server");
      await saveAsked(transaction, userId, server.id, alerts, outageMin);
    });
    const { t, paths } = localeOf(req);
    const { name } = server;
    await leaveFlash(
      req,
      alerts.length === 0 ? t("servers.alerts.off", { name }) : t("servers.alerts.saved", { name }),
    );
    res.redirect(303, paths.serverAlerts(server.id));
  };
}

async function requireServer(db: Knex, req: Request): Promise<AlertableServer> {
  const serverId = id().safeParse(req.params.id);
  const server = serverId.success && (await findAskableServer(db, viewerOf(req).id, serverId.data));
  if (!server) throw notFound("server");
  return server;
}

/** More players than fit would never notify anybody. */
function aboveSlots(
  req: Request,
  { online }: AlertForm,
  { max_online: slots }: AlertableServer,
): FieldErrors | undefined {
  if (online === undefined || !slots || online < slots) return undefined;
  const { t, format } = localeOf(req);
  return { online: t("servers.alerts.above_slots", { figure: format.number(slots) }) };
}

function readAlerts({ down, up, slot, queue, online }: AlertForm): UserAlert[] {
  return [
    ...(down ? [{ what: "down", value: null } as const] : []),
    ...(up ? [{ what: "up", value: null } as const] : []),
    ...(slot ? [{ what: "slot", value: null } as const] : []),
    ...(queue === undefined ? [] : [{ what: "queue", value: queue } as const]),
    ...(online === undefined ? [] : [{ what: "online", value: online } as const]),
  ];
}

interface Rendering {
  readonly db: Knex;
  readonly config: Config;
  readonly req: Request;
  readonly res: Response;
  readonly server: AlertableServer;
  readonly errors?: FieldErrors;
}

/** With `errors`, renders a refused form and keeps what the user typed. */
async function renderAlerts({ db, config, req, res, server, errors }: Rendering): Promise<void> {
  const { t } = localeOf(req);
  const userId = viewerOf(req).id;
  const [settings, { confirmedEmail }] = await Promise.all([
    loadSettings(db, userId),
    findMailAddress(db, userId),
  ]);
  const labels: Record<string, string> = {
    outage_min: t("webhooks.field.outage"),
    queue: t("servers.alerts.queue_label"),
    online: t("servers.alerts.online_label"),
  };
  const sentences = Object.entries(errors ?? {}).map(([field, message]) => [
    field,
    t("input.sentence", { label: labels[field] ?? field, message }),
  ]);
  const isMailed = settings.email === "each" && confirmedEmail !== null && config.mail.kind !== "none";
  const head = {
    title: t("servers.alerts.title", { name: server.name }),
    noindex: true,
    styles: ["servers/servers"],
    ...(errors && { status: 400 }),
  };
  await renderPage(req, res, "servers/alerts", head, {
    server,
    asked: errors ? typedText(req, FIELDS) : storedText(server),
    outages: outageChoices(OUTAGE_MINUTES, t),
    errors: Object.fromEntries(sentences) as Record<string, string | undefined>,
    ways: { mail: isMailed, push: settings.push, daily: settings.email === "daily" },
  });
}

function storedText({ alerts, outage_min }: AlertableServer): Record<string, string> {
  const asked = Object.fromEntries(alerts.map(({ what, value }) => [what, String(value ?? 1)]));
  return { ...asked, outage_min: String(outage_min ?? USUAL_OUTAGE_MIN) };
}
