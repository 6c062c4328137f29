import type { Request, RequestHandler, Response } from "express";
import { notFound } from "../web/pages/errors.ts";
import { renderPage, viewerOf } from "../web/pages/page.ts";
import type { FieldErrors } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { leaveFlash } from "../web/session/session.ts";
import type { Channel, SettingsContext, SettingsSection } from "./channels/channel.ts";
import { CHANNELS } from "./channels.ts";
import { removeSubscription } from "./push/queries.ts";
import { quietHours } from "./quiet-hours-settings.ts";
import { findMailAddress, loadSettings } from "./settings-queries.ts";

type WithSettings = Pick<Channel, "name"> & { readonly settings: SettingsSection };

/** The sections of the settings page, in its order: those of the channels, then those about all channels. */
export const SECTIONS: readonly WithSettings[] = [
  ...CHANNELS.flatMap(({ name, settings }) => (settings ? [{ name, settings }] : [])),
  { name: "quiet", settings: quietHours },
];

/** `GET /notifications/settings` */
export function showSettings(context: SettingsContext): RequestHandler {
  return (req, res) => renderSettings(context, req, res);
}

/** `POST /notifications/settings/<channel>` */
export function saveChannel(context: SettingsContext, { settings }: WithSettings): RequestHandler {
  return async (req, res) => {
    const saved = await settings.save(context, req);
    if ("errors" in saved) {
      return renderSettings(context, req, res, saved.errors, settings.labels?.(localeOf(req).t));
    }
    await backToSettings(req, res, saved.said);
  };
}

/** `POST /notifications/settings/push/:id/remove` */
export function removeBrowser({ db }: SettingsContext): RequestHandler {
  return async (req, res) => {
    const id = /^\d{1,15}$/.exec(String(req.params.id))?.[0];
    const removed = id && (await removeSubscription(db, viewerOf(req).id, { id: Number(id) }));
    if (!removed) throw notFound("browser");
    const { t } = localeOf(req);
    const browser = removed.browser ?? t("notifications.push.the_browser");
    await backToSettings(req, res, t("notifications.push.removed", { browser }));
  };
}

async function backToSettings(req: Request, res: Response, flash: string): Promise<void> {
  await leaveFlash(req, flash);
  res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.notificationSettings());
}

/** The whole page, with the errors of a refused form beside its fields. */
async function renderSettings(
  context: SettingsContext,
  req: Request,
  res: Response,
  refused: FieldErrors = {},
  labels: Record<string, string> = {},
): Promise<void> {
  const { t } = localeOf(req);
  const errors = Object.fromEntries(
    Object.entries(labels).flatMap(([field, label]) =>
      refused[field] === undefined ? [] : [[field, t("input.sentence", { label, message: refused[field] })]],
    ),
  );
  const { id } = viewerOf(req);
  const [settings, address] = await Promise.all([
    loadSettings(context.db, id),
    findMailAddress(context.db, id),
  ]);
  const sections = await Promise.all(
    SECTIONS.map(async ({ name, settings: section }) => ({
      name,
      title: section.title(t),
      data: await section.load?.(context, req, settings),
    })),
  );
  const head = {
    title: t("notifications.settings.title"),
    noindex: true,
    // The page shows the feed's secret link.
    neverStore: true,
    scripts: SECTIONS.flatMap(({ settings: { script } }) => script ?? []),
    styles: ["notifications/notifications"],
    ...(Object.keys(errors).length > 0 && { status: 400 }),
  };
  await renderPage(req, res, "notifications/settings", head, { settings, address, errors, sections });
}
