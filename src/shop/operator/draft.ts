import type { Request, Response } from "express";
import { languageWord } from "../../catalogue/entry/entry.ts";
import type { Db } from "../../db/connect.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { Refusal, readId } from "../../records/values.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import type { FieldErrors } from "../../web/request/form.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { id as idSchema } from "../../web/request/params.ts";
import { zoneChoices } from "../../web/request/time-zones.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { Paths } from "../../words/urls.ts";
import { type FieldError, sayError } from "../discount-plan.ts";
import {
  type DiscountedItem,
  findDiscount,
  findItemsByText,
  itemOf,
  type KnownDiscount,
  listItemChoices,
} from "../discount-queries.ts";
import { type FormErrors, TITLE_FIELDS, type TypedDiscount } from "./form.ts";

/** The maximum number of items to choose from. Nobody would scroll through a longer list. */
const CHOICES = 500;

/**
 * The discount that a path names.
 * @throws HttpError 404
 */
export async function findKnown(db: Db, id: string): Promise<KnownDiscount> {
  const known = idSchema().safeParse(id).success ? await findDiscount(db, id) : undefined;
  if (!known) throw notFound("discount");
  return known;
}

/** The form as operator and site exchange it. */
export interface Draft {
  typed: TypedDiscount;
  /** The discount to change; undefined for a new one. */
  known: KnownDiscount | undefined;
  /** The version that the operator has seen. */
  version: string;
  /** The id of a new discount, chosen before it is saved so that a form sent twice creates one. */
  id: string;
}

interface FormState {
  status?: number;
  /** Whether it is shown for the first time, with nothing typed yet. */
  isFresh?: boolean;
  /** The discount that this form has already saved. */
  saved?: KnownDiscount;
  errors?: FormErrors;
  similar?: DiscountedItem[];
  /** Why it was not saved, if no field is wrong. */
  problem?: string;
  /** Whether somebody else has changed the discount since this form was opened. */
  isStale?: boolean;
}

/** The form with the typed values. */
export async function renderForm(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  { status, errors = {}, similar = [], problem, saved, isStale = false, isFresh = false }: FormState = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const title = draft.known ? t("operator.form.change") : t("operator.form.new");
  const nameOf = (item: { name: string; names: Record<string, string> }) => localName(item, language).name;
  const choices = draft.known ? [] : await listItemChoices(db, CHOICES);
  const own = req.viewer?.timeZone ?? undefined;
  await renderPage(req, res, "shop/operator/form", head(title, status), {
    title,
    draft,
    action: chooseAction(draft, locale.paths),
    errors: describeErrors(errors, locale),
    similar: similar.map((item) => ({ ...item, name: nameOf(item) })),
    problem,
    isStale,
    saved,
    knownName: draft.known && nameOf(itemOf(draft.known)),
    knownTitle: draft.known && shownTitle(draft.known, language)?.text,
    titleFields: titleFields(locale),
    savedName: saved && nameOf(itemOf(saved)),
    choices: choices.map((item) => ({ ...item, name: nameOf(item) })),
    zones: zoneChoices(own),
    // The browser may guess a zone if the user has not chosen one, and show the discount's times in it.
    guessZone: own === undefined && isFresh,
  });
}

/** A sentence for each error, with the label of its field. */
function describeErrors(errors: FormErrors, { t, language }: Locale): FieldErrors {
  const labels: Record<string, string> = {
    ...Object.fromEntries(titleFields({ t, language }).map(({ name, label }) => [name, label])),
    item: t("operator.form.item"),
    kind: t("operator.form.reduction"),
    amount: t("operator.form.amount"),
    starts: t("operator.form.start"),
    ends: t("operator.form.end"),
    zone: t("operator.form.zone"),
    announced: t("operator.form.announced"),
  };
  const found = Object.entries(errors) as [string, FieldError][];
  const sentences = found.map(([field, error]) => {
    return [field, t("input.sentence", { label: labels[field], message: sayError(error, language) })];
  });
  return Object.fromEntries(sentences);
}

/** The fields of the title in each language of the site, each named in the user's own language. */
function titleFields({ t, language }: Pick<Locale, "t" | "language">) {
  return TITLE_FIELDS.map(({ name, language: of }) => {
    const label = t("operator.form.title_in", { language: languageWord(of, language) });
    return { name, lang: of, label };
  });
}

/**
 * Somebody else changed the discount. The form keeps the typed values, and saving again overwrites the other change.
 */
export async function renderChanged(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  known: KnownDiscount,
): Promise<void> {
  await renderForm(db, req, res, { ...draft, known, version: known.version }, { status: 409, isStale: true });
}

/**
 * The form of a new discount was saved before with other values. For the same item it becomes a change of that
 * discount, for another item a new discount.
 */
export async function renderSavedBefore(
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

export type ItemChoice =
  | { item: DiscountedItem }
  | { item?: undefined; error: FieldError; similar: DiscountedItem[] };

/**
 * Finds the typed item: by its key, by a name that only one item has, or as the only one with the typed words. The
 * preview shows the operator which one that is.
 */
export async function chooseItem(db: Db, typed: string): Promise<ItemChoice> {
  if (typed === "") return { error: lazyText("input.required"), similar: [] };
  const text = readId(typed);
  const { found, similar } = text instanceof Refusal ? { similar: [] } : await findItemsByText(db, text);
  const item = found ?? (similar.length === 1 ? similar[0] : undefined);
  if (item) return { item };
  const key = similar.length === 0 ? "operator.error.no_item" : "operator.error.unclear_item";
  return { error: { key, values: {} }, similar };
}

/** The address that a draft's form is sent to. */
export function chooseAction({ known }: Draft, paths: Paths): string {
  return known ? paths.operatorDiscount(known.id) : paths.operatorNewDiscount();
}

/** The head of every page of the form. */
export function head(title: string, status?: number) {
  const scripts = ["shop/operator"];
  return {
    title,
    noindex: true,
    keepForBack: true,
    styles: ["shop/shop"],
    scripts,
    ...(status && { status }),
  };
}
