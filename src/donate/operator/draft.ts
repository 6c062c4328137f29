import type { Request, Response } from "express";
import type { Db } from "../../db/connect.ts";
import type { FieldErrors } from "../../http/form.ts";
import { type Locale, localeOf } from "../../http/locale.ts";
import { renderPage } from "../../http/page.ts";
import { listTimeZones } from "../../http/time-zones.ts";
import { shownName } from "../../records/shown-name.ts";
import { Refusal, readId } from "../../records/values.ts";
import type { Paths } from "../../urls.ts";
import {
  type DiscountedItem,
  findItemsByText,
  itemOf,
  type KnownDiscount,
  listItemChoices,
} from "../discount-queries.ts";
import { type Fault, sayFault } from "../wish-faults.ts";
import type { FormFaults, TypedDiscount } from "./form.ts";

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
  faults?: FormFaults;
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
  { status, faults = {}, similar = [], problem, saved, isStale = false, isFresh = false }: FormState = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const title = draft.known ? t("operator.form.change") : t("operator.form.new");
  const nameOf = (item: { name: string; names: Record<string, string> }) => shownName(item, language).name;
  const choices = draft.known ? [] : await listItemChoices(db, CHOICES);
  const own = req.viewer?.timeZone ?? undefined;
  await renderPage(req, res, "donate/operator/form", head(title, status), {
    title,
    draft,
    action: actionOf(draft, locale.paths),
    errors: describeFaults(faults, locale),
    similar: similar.map((item) => ({ ...item, name: nameOf(item) })),
    problem,
    isStale,
    saved,
    knownName: draft.known && nameOf(itemOf(draft.known)),
    savedName: saved && nameOf(itemOf(saved)),
    choices: choices.map((item) => ({ ...item, name: nameOf(item) })),
    zones: [...new Set([...(own === undefined ? [] : [own]), ...listTimeZones(own)])],
    // What nobody has chosen, the browser may guess, and show the discount's times in it; what was typed stays.
    guessZone: own === undefined && isFresh,
  });
}

/** A sentence of each fault, with the label of its field. */
function describeFaults(faults: FormFaults, { t, language }: Locale): FieldErrors {
  const labels: Record<keyof FormFaults, string> = {
    item: t("operator.form.item"),
    title: t("operator.form.title"),
    kind: t("operator.form.reduction"),
    amount: t("operator.form.amount"),
    starts: t("operator.form.start"),
    ends: t("operator.form.end"),
    zone: t("operator.form.zone"),
    announced: t("operator.form.announced"),
  };
  const sentences = Object.entries(faults).map(([field, fault]) => {
    const label = labels[field as keyof FormFaults];
    return [field, t("input.sentence", { label, message: sayFault(fault, language) })];
  });
  return Object.fromEntries(sentences);
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
  | { item?: undefined; fault: Fault; similar: DiscountedItem[] };

/** The item that was typed: by its key, or by a name that only one has. */
export async function chooseItem(db: Db, typed: string): Promise<ItemChoice> {
  if (typed === "") return { fault: { key: "input.required", values: {} }, similar: [] };
  const text = readId(typed);
  const { found, similar } = text instanceof Refusal ? { similar: [] } : await findItemsByText(db, text);
  if (found) return { item: found };
  const key = similar.length === 0 ? "operator.fault.no_item" : "operator.fault.unclear_item";
  return { fault: { key, values: {} }, similar };
}

/** Where the form of a draft is sent to. */
export function actionOf({ known }: Draft, paths: Paths): string {
  return known ? paths.operatorDiscount(known.id) : paths.operatorNewDiscount();
}

/** What every page of the form says of itself. */
export function head(title: string, status?: number) {
  const scripts = ["donate-operator"];
  return { title, noindex: true, keepForBack: true, styles: ["donate"], scripts, ...(status && { status }) };
}
