import type { Request, Response } from "express";
import type { Db } from "../../db/connect.ts";
import type { FieldErrors } from "../../http/form.ts";
import { renderPage } from "../../http/page.ts";
import { listTimeZones } from "../../http/time-zones.ts";
import { Refusal, readId } from "../../import/records/values.ts";
import { paths } from "../../urls.ts";
import {
  type DiscountedItem,
  findItemsByText,
  type KnownDiscount,
  listItemChoices,
} from "../discount-queries.ts";
import type { TypedDiscount } from "./form.ts";

/** More than this nobody scrolls through: who has more items types a part of the name. */
const CHOICES = 500;

/** The form as it goes back and forth between the operator and the site. */
export interface Draft {
  typed: TypedDiscount;
  /** The discount that is changed; undefined: a new one. */
  known: KnownDiscount | undefined;
  /** Which state of it the operator has seen. */
  version: string;
  /** What a new one will be called, chosen before it is saved: sent twice, it is still one. */
  id: string;
}

/** How a draft stands when it is shown. */
interface FormState {
  status?: number;
  /** It is shown for the first time: nothing of it was typed. */
  isFresh?: boolean;
  /** What this form was saved as before. */
  saved?: KnownDiscount;
  errors?: FieldErrors;
  similar?: DiscountedItem[];
  /** What kept it from being saved, where no field is wrong. */
  problem?: string;
  /** Somebody else has changed the discount since this form was opened. */
  isStale?: boolean;
}

/** The form with what was typed in it. */
export async function renderForm(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  { status, errors = {}, similar = [], problem, saved, isStale = false, isFresh = false }: FormState = {},
): Promise<void> {
  const title = draft.known ? "Change a discount" : "New discount";
  const own = req.viewer?.timeZone ?? undefined;
  await renderPage(req, res, "donate/operator/form", head(title, status), {
    title,
    draft,
    action: actionOf(draft),
    errors,
    similar,
    problem,
    isStale,
    saved,
    choices: draft.known ? [] : await listItemChoices(db, CHOICES),
    zones: [...new Set([...(own === undefined ? [] : [own]), ...listTimeZones(own)])],
    // What nobody has chosen, the browser may guess, and show the discount's times in it; what was typed stays.
    guessZone: own === undefined && isFresh,
  });
}

/** What was typed stays; saving it again replaces what the other has made of the discount. */
export async function tellChanged(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  known: KnownDiscount,
): Promise<void> {
  await renderForm(db, req, res, { ...draft, known, version: known.version }, { status: 409, isStale: true });
}

/**
 * The form of a new discount was sent before, and this is not what was saved then. For the same item it goes on as a
 * change of that discount; for another one it becomes another discount.
 */
export async function tellSaved(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  known: KnownDiscount,
): Promise<void> {
  const isSameItem = (await chooseItem(db, draft.typed.item)).item?.key === known.item_key;
  const meant = isSameItem ? { ...draft, known, version: known.version } : { ...draft, id: "" };
  await renderForm(db, req, res, meant, { status: 409, saved: known });
}

/** What a discount is for, or why that is not clear and what it might be. */
export type ItemChoice =
  | { item: DiscountedItem }
  | { item?: undefined; fault: string; similar: DiscountedItem[] };

/** The item that was typed: by its key, or by a name that only one has. */
export async function chooseItem(db: Db, typed: string): Promise<ItemChoice> {
  if (typed === "") return { fault: "is required", similar: [] };
  const text = readId(typed);
  if (text instanceof Refusal) return { fault: text.reason, similar: [] };
  const { found, similar } = await findItemsByText(db, text);
  if (found) return { item: found };
  if (similar.length === 0) return { fault: "is not in the shop", similar };
  return { fault: "is not clear: choose one of those below by its key", similar };
}

/** Where the form of a draft is sent to. */
export function actionOf({ known }: Draft): string {
  return known ? paths.operatorDiscount(known.id) : paths.operatorNewDiscount();
}

/** What every page of the form says of itself. */
export function head(title: string, status?: number) {
  const scripts = ["donate-operator"];
  return { title, noindex: true, styles: ["donate"], scripts, ...(status && { status }) };
}
