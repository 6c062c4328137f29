import type { Request, Response } from "express";
import type { Db } from "../db/connect.ts";
import type { Role } from "../db/sessions.ts";
import { localeOf, localizePath } from "../web/request/locale.ts";
import { findViewer } from "../web/session/queries.ts";
import { isLanguage } from "../words/i18n/languages.ts";
import { safeReturnPath } from "../words/safe-urls.ts";
import {
  type AddedFavorite,
  addPending,
  findPendingName,
  type PendingFavorite,
  pageOf,
  parsePending,
  pendingText,
} from "./favorites/pending-favorite.ts";

/** The steps after a visitor has logged in or registered. */
export interface AfterLogIn {
  /** The page to return to. */
  next: string | undefined;
  /** The record to add to their favorites. */
  pending: PendingFavorite | undefined;
}

/** Parses a page's address or its form; leaves out malformed values. */
export function readAfterLogIn(sent: Readonly<Record<string, unknown>> | undefined): AfterLogIn {
  return { next: safeReturnPath(sent?.next), pending: parsePending(sent?.favorite) };
}

/** The data that a log-in form shows and passes on. A pending favorite whose record does not exist is dropped. */
export async function describeAfterLogIn(db: Db, req: Request, { next, pending }: AfterLogIn) {
  const found = pending && (await findPendingName(db, pending, localeOf(req).language));
  return { next, pending: pending && found && { text: pendingText(pending), name: found.name } };
}

/** Adds the pending favorite of a user who has just logged in. */
export async function runAfterLogIn(
  db: Db,
  req: Request,
  userId: number,
  { pending }: AfterLogIn,
): Promise<AddedFavorite | undefined> {
  if (pending === undefined) return undefined;
  const own = (await findViewer(db, userId))?.language ?? "";
  const language = req.pathLanguage ?? (isLanguage(own) ? own : localeOf(req).language);
  return addPending(db, userId, pending, language);
}

/**
 * Redirects to the page that the visitor came from, in the language of the log-in page. Without one, redirects to the
 * profile, or an operator to their page.
 */
export function redirectAfterLogIn(
  req: Request,
  res: Response,
  { next, pending }: AfterLogIn,
  role: Role = "user",
): void {
  const path = next ?? (pending && pageOf(pending));
  const { paths } = localeOf(req);
  const own = role === "operator" ? paths.operator() : paths.profile();
  const target = path === undefined ? own : localizePath(req, path);
  res.set("Cache-Control", "no-store").redirect(303, target);
}
