import type { Request, Response } from "express";
import type { Db } from "../db/connect.ts";
import {
  findWished,
  type Granted,
  grantWish,
  pageOfWish,
  parseWish,
  type Wish,
  wishText,
} from "../favorites/wish.ts";
import { inLanguageOf, localeOf } from "../http/locale.ts";
import { isLanguage } from "../i18n/languages.ts";
import { safeReturnPath } from "../urls.ts";
import { findViewer } from "../viewers/queries.ts";

/** What brought a visitor to log in or to register: the page that they come back to, and what they marked there. */
export interface Errand {
  next: string | undefined;
  /** What will be among their favorites once they are logged in. */
  wish: Wish | undefined;
}

/** From the address of a page, or from the form on it; what cannot be meant is left out. */
export function readErrand(sent: Readonly<Record<string, unknown>> | undefined): Errand {
  return { next: safeReturnPath(sent?.next), wish: parseWish(sent?.favorite) };
}

/** What a form shows of it and carries on; a wish for what is not there is dropped. */
export async function describeErrand(db: Db, req: Request, { next, wish }: Errand) {
  const found = wish && (await findWished(db, wish, localeOf(req).language));
  return { next, wish: wish && found && { text: wishText(wish), name: found.name } };
}

/** Does what a user who has just logged in by a form was there for; resolves to what to say of it. */
export async function runErrand(
  db: Db,
  req: Request,
  userId: number,
  { wish }: Errand,
): Promise<Granted | undefined> {
  if (wish === undefined) return undefined;
  const own = (await findViewer(db, userId))?.language ?? "";
  const language = req.pathLanguage ?? (isLanguage(own) ? own : localeOf(req).language);
  return grantWish(db, userId, wish, language);
}

/** On to where the visitor came from, in the language that they log in in. */
export function redirectAfterLogIn(req: Request, res: Response, { next, wish }: Errand): void {
  const path = next ?? (wish && pageOfWish(wish));
  const target = path === undefined ? localeOf(req).paths.profile() : inLanguageOf(req, path);
  res.set("Cache-Control", "no-store").redirect(303, target);
}
