import type { Request, RequestHandler, Response } from "express";
import { RELATION_WORDS, relationLabel } from "../../records/relations/kinds.ts";
import { HttpError, messageIn } from "../../web/pages/errors.ts";
import { type PageHead, renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { id as idSchema, readNumber } from "../../web/request/params.ts";
import { leaveFlash } from "../../web/session/session.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { lazyText, translateText } from "../../words/i18n/lazy-text.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { catalogueKinds, isCatalogueKind, singularOf } from "../../words/kinds/kinds.ts";
import type { Paths } from "../../words/urls.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import { recordPath } from "../read/kinds.ts";
import { type CurrentRecord, findCurrent } from "../write/current-queries.ts";
import { versionOf } from "../write/record-writer.ts";
import { listChoices } from "./choices.ts";
import { type EditContext, type EditKind, kindIn, recordIn, wordFor, writeBy } from "./context.ts";
import {
  BUY_KEY,
  marksOf,
  mergeTyped,
  NEW_ATTRIBUTES,
  parsed,
  placeErrors,
  type RecordField,
  readChanges,
  readLocked,
  recordFields,
  showField,
  type Typed,
  typedIn,
} from "./fields.ts";
import {
  findLocked,
  findMeant,
  findUsualPolling,
  listOwnRelations,
  listUsedAttributes,
  writeLocked,
} from "./queries.ts";
import { RELATION_FIELDS, relationChanges, writeRelations } from "./relations.ts";
import { loadPolls, type Tested } from "./server-test.ts";
import { decideSuggestion, describeReporter, findSuggestion } from "./suggestion-queries.ts";

export const NOTE_AT_MOST = 300;

/** The record that a form is about; without an id it is a new one. */
interface Edited {
  readonly kind: EditKind;
  readonly id: string | undefined;
}

interface FormState {
  readonly status?: number | undefined;
  readonly typed?: Typed | undefined;
  readonly errors?: Record<string, string>;
  readonly theirs?: Record<string, string>;
  /** The form shows the record as it is now; otherwise a save still compares it with what the form was opened with. */
  readonly isReopened?: boolean;
  /** What is wrong with the form as a whole. */
  readonly problems?: readonly string[];
  /** What a server said that was polled as the form has it. */
  readonly tested?: Tested | undefined;
}

/** `GET /operator/new-record/:kind` */
export function showNewRecord(context: EditContext): RequestHandler {
  return async (req, res) => {
    const kind = kindIn(req);
    const typed = kind === "servers" ? await findUsualPolling(context.db) : undefined;
    await renderForm(context, req, res, { kind, id: undefined }, undefined, { typed });
  };
}

/** `GET /operator/records/:kind/:id` */
export function showRecord(context: EditContext): RequestHandler {
  return async (req, res) => {
    const edited = recordIn(req);
    const record = await findRecord(context, edited);
    if (record) return renderForm(context, req, res, edited, record);
    // One that was removed can be restored on the page of its history.
    res.redirect(303, localeOf(req).paths.operatorRecordHistory(edited.kind, edited.id));
  };
}

/** `POST /operator/new-record/:kind` */
export function addRecord(context: EditContext): RequestHandler {
  return async (req, res) => {
    const kind = kindIn(req);
    const typed = typedIn(req.body);
    const id = idSchema().safeParse((typed.id ?? "").trim());
    if (req.isReplay) return renderForm(context, req, res, { kind, id: undefined }, undefined, { typed });
    if (id.success) return save(context, req, res, { kind, id: id.data, isNew: true }, typed);
    const errors = {
      id: translateText(lazyText("input.characters", { min: 1, max: 200 }), localeOf(req).language),
    };
    await renderForm(context, req, res, { kind, id: undefined }, undefined, { status: 400, typed, errors });
  };
}

/** `POST /operator/records/:kind/:id` */
export function saveRecord(context: EditContext): RequestHandler {
  return async (req, res) => {
    const edited = recordIn(req);
    const typed = typedIn(req.body);
    if (req.isReplay)
      return renderForm(context, req, res, edited, await findRecord(context, edited), { typed });
    // A form that has seen the record removed adds it again.
    await save(context, req, res, { ...edited, isNew: typed.version === "" }, typed);
  };
}

export async function findRecord(
  { db }: EditContext,
  { kind, id }: Edited,
): Promise<CurrentRecord | undefined> {
  return id === undefined ? undefined : (await findCurrent(db, kind, [id])).get(id);
}

export async function readFields(
  { db, vocabulary: { file } }: EditContext,
  req: Request,
  kind: EditKind,
  record: CurrentRecord | undefined,
  typed?: Typed,
) {
  const named = [file.kinds?.[kind as keyof typeof file.kinds]?.attributes, file.attributes];
  const used = await listUsedAttributes(db, kind);
  const usual = [
    ...(kind === "donate-items" ? [BUY_KEY] : []),
    ...named.flatMap((words = {}) => Object.keys(words)),
    ...used.map(({ key }) => key),
  ];
  const options = kind === "servers" ? (await loadPolls()).POLL_OPTIONS : [];
  const flags = used.flatMap(({ key, isFlag }) => (isFlag ? [key] : []));
  return recordFields(kind, record, vocabularyOf(req, kind), { usual, flags, options, typed });
}

export function vocabularyOf(req: Request, kind: EditKind): KindVocabulary {
  const { vocabulary } = req.site;
  return isCatalogueKind(kind) ? vocabulary.of(kind) : vocabulary.shared;
}

async function save(
  context: EditContext,
  req: Request,
  res: Response,
  { kind, id, isNew }: { kind: EditKind; id: string; isNew: boolean },
  typed: Typed,
): Promise<void> {
  const edited = { kind, id: isNew && req.params.id === undefined ? undefined : id };
  const current = isNew ? undefined : await findRecord(context, { kind, id });
  const { t, language, paths } = localeOf(req);
  const fields = await readFields(context, req, kind, current, typed);
  const { body, errors } = readChanges(fields, typed, language);
  const { removed, added } = await readRelations(context, { kind, id: current?.id }, typed);
  const note = typed.note?.trim() || undefined;
  if (note !== undefined && [...note].length > NOTE_AT_MOST)
    errors.note = t("input.characters", { min: 0, max: NOTE_AT_MOST });
  await resolveEntries(context, req, kind, body, errors);
  const meant = added ? await findMeant(context, added.kind, added.text, added.kind === kind ? id : "") : [];
  if (added && meant.length !== 1) errors.related = unclearText(req, meant);
  // A quantity of nothing would be lost without a word.
  if (!added && (typed.count?.trim() || typed.chance?.trim())) errors.related = t("edit.error.of_what");
  const again = (state: FormState) => renderForm(context, req, res, edited, current, { typed, ...state });
  if (Object.keys(errors).length > 0) return again({ status: 400, errors });
  const [to] = meant;
  const related = added && to ? { word: singularOf(added.kind), id: to.id } : undefined;
  const by = writeBy(req, kind);
  const change = (locked: readonly string[]) => readLocked(fields, typed, locked);
  let isLocking = false;
  try {
    const outcome = await context.writer.write({
      ...by,
      ...{ kind, id, note },
      ...(isNew
        ? { method: "PUT", createOnly: true, body: withoutNull(body) }
        : { method: "PATCH", seen: typed.version ?? "", body }),
      complete: async (transaction) => {
        if (isCatalogueKind(kind)) {
          isLocking = await writeLocked(transaction, by.by, { kind, id }, change);
          await writeRelations(transaction, by.by, { kind, id }, { removed, added: related }, typed);
        }
        const suggestion = suggestionIn(typed);
        if (suggestion === undefined || kind === "servers") return;
        const decided = { id: suggestion, kind, entryId: id };
        await decideSuggestion(transaction, by.by, decided, { state: "accepted" });
      },
    });
    if (outcome instanceof HttpError) return renderConflict(context, req, res, { kind, id, isNew }, typed);
  } catch (error) {
    if (!(error instanceof HttpError) || ![400, 503].includes(error.problem.status)) throw error;
    const found = (error.errors ?? []).map((each) => ({
      param: each.param,
      text: messageIn(language, each),
    }));
    const ofRelation = found.filter(({ param }) => (RELATION_FIELDS as readonly string[]).includes(param));
    const placed = placeErrors(
      found.filter((each) => !ofRelation.includes(each)),
      fields,
    );
    const relationErrors = Object.fromEntries(ofRelation.map(({ param, text }) => [param, text]));
    const problems = error.errors
      ? placed.rest
      : [error.said ? translateText(error.said, language) : error.message];
    return again({ status: error.problem.status, errors: { ...placed.errors, ...relationErrors }, problems });
  }
  const isChanged =
    isNew || isLocking || Object.keys(body).length + removed.length > 0 || added !== undefined;
  await leaveFlash(req, isChanged ? lazyText("edit.flash.saved") : lazyText("edit.flash.unchanged"), {
    tone: isChanged ? "success" : "info",
  });
  res.redirect(303, savedPath(paths, kind, id));
}

function savedPath(paths: Paths, kind: EditKind, id: string): string {
  return kind === "servers" ? listPath(paths, kind) : recordPath(paths, kind, id);
}

function listPath(paths: Paths, kind: EditKind): string {
  if (kind === "servers") return paths.operatorServers();
  return isCatalogueKind(kind) ? paths.catalogue(kind) : paths.donate();
}

/** Which relations a form adds and removes; only entries of the catalogue have some. */
async function readRelations({ db }: EditContext, { kind, id }: Edited, typed: Typed) {
  const own = isCatalogueKind(kind) && id !== undefined ? await listOwnRelations(db, kind, id) : [];
  return relationChanges(typed, own);
}

/** Puts the id of the entry that was typed into attributes that name one. */
async function resolveEntries(
  context: EditContext,
  req: Request,
  kind: EditKind,
  body: Record<string, unknown>,
  errors: Record<string, string>,
): Promise<void> {
  const attributes = (body.attributes ?? {}) as Record<string, unknown>;
  const vocabulary = vocabularyOf(req, kind);
  for (const [key, text] of Object.entries(attributes)) {
    const of = catalogueKinds().find((each) => each === vocabulary.attribute(key)?.kind);
    if (of === undefined || vocabulary.attribute(key)?.type !== "entry" || typeof text !== "string") continue;
    const meant = await findMeant(context, of, text.trim());
    if (meant.length === 1 && meant[0])
      body.attributes = { ...(body.attributes as object), [key]: meant[0].id };
    else errors[`attributes.${key}`] = unclearText(req, meant);
  }
}

export function unclearText(req: Request, choices: readonly { id: string; name: string }[]): string {
  const { t } = localeOf(req);
  if (choices.length === 0) return t("edit.error.no_entry");
  return t("edit.error.several", { choices: choices.map(({ id, name }) => `${id} (${name})`).join(", ") });
}

function withoutNull(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** The record is not as the form has seen it: shows both versions, and saving again overwrites the other one. */
async function renderConflict(
  context: EditContext,
  req: Request,
  res: Response,
  { kind, id, isNew }: { kind: EditKind; id: string; isNew: boolean },
  typed: Typed,
): Promise<void> {
  const { t, language, paths } = localeOf(req);
  const current = await findRecord(context, { kind, id });
  if (isNew && req.params.id === undefined) {
    const state = { status: 409, typed, errors: { id: t("edit.error.taken") } };
    return renderForm(context, req, res, { kind, id: undefined }, undefined, state);
  }
  if (!current) {
    const state = { status: 410, typed, isReopened: true, problems: [t("edit.removed_meanwhile")] };
    return renderForm(context, req, res, { kind, id }, undefined, state);
  }
  const fields = await readFields(context, req, kind, current);
  const { merged, theirs } = mergeTyped(fields, typed, parsed(typed.marks ?? ""));
  const { removed, added } = await readRelations(context, { kind, id }, typed);
  const isLocking = readLocked(fields, typed, await findLocked(context.db, kind, id)) !== undefined;
  const changed = Object.keys(readChanges(fields, merged, language).body).length + removed.length;
  const isDone = changed === 0 && !added && !isLocking;
  // A second click on Save: the first one has saved all of it.
  if (isDone) {
    await leaveFlash(req, lazyText("edit.flash.saved"), { tone: "success" });
    return res.redirect(303, savedPath(paths, kind, id));
  }
  const problems = [t("edit.changed_meanwhile")];
  const state = { status: 409, typed: merged, theirs, isReopened: true, problems };
  await renderForm(context, req, res, { kind, id }, current, state);
}

export async function renderForm(
  context: EditContext,
  req: Request,
  res: Response,
  { kind, id }: Edited,
  record: CurrentRecord | undefined,
  { status, typed, errors = {}, theirs = {}, isReopened = false, problems = [], tested }: FormState = {},
): Promise<void> {
  const { db } = context;
  const locale = localeOf(req);
  const { t, language, paths } = locale;
  const everyKind = req.site.vocabulary;
  const words = { ...locale, everyKind, vocabulary: vocabularyOf(req, kind) };
  const fields = await readFields(context, req, kind, record, typed);
  const own =
    id === undefined || !record || !isCatalogueKind(kind) ? [] : await listOwnRelations(db, kind, id);
  const locked = id === undefined ? [] : await findLocked(db, kind, id);
  const word = wordFor(kind);
  const title = record
    ? t("edit.title", { name: recordName(record, language) })
    : t("edit.add_title", { kind: t(`kinds.${word}.many`) });
  const text = (name: string) => typed?.[name] ?? "";
  const opened = isReopened ? undefined : typed;
  const suggestion = await findSuggestion(db, suggestionIn(typed));
  await renderPage(req, res, "exchange/edit/form", formHead(title, status), {
    title,
    kind,
    id,
    isThere: record !== undefined,
    tested,
    hasRelations: isCatalogueKind(kind),
    picturedAs: kind === "servers" ? undefined : word,
    listed: [t(`kinds.${word}.many`), listPath(paths, kind)],
    pageUrl: record && id !== undefined ? recordPath(paths, kind, id) : undefined,
    action: id === undefined ? paths.operatorNewRecord(kind) : paths.operatorRecord(kind, id),
    version: opened?.version ?? (record ? versionOf(record) : ""),
    marks: opened?.marks ?? marksOf(fields),
    problems,
    locks: typed?.locks ?? JSON.stringify(locked),
    fields: (await showFields(context, req, kind, fields, { typed, errors, theirs })).map((field) => ({
      ...field,
      lock: isCatalogueKind(kind) ? `lock.${field.name}` : undefined,
      isLocked: typed?.locks === undefined ? locked.includes(field.name) : text(`lock.${field.name}`) !== "",
    })),
    suggestion: suggestion && { ...suggestion, by: describeReporter(suggestion, t) },
    declined: { reason: text("reason"), error: errors.reason },
    added: Array.from({ length: NEW_ATTRIBUTES }, (_, at) => ({
      key: text(`new.${at}.key`),
      value: text(`new.${at}.value`),
    })),
    relations: own.map((each) => ({
      id: each.id,
      label: relationLabel(each.relation, each.direction, words),
      name: each.name ?? each.otherId,
      amount: [each.count && `×${each.count}`, each.chance && `${Number(each.chance) * 100}%`]
        .filter(Boolean)
        .join(" · "),
      isRemoved: Object.entries(typed ?? {}).some(
        ([name, value]) => name.startsWith("unrelate.") && value === each.id,
      ),
    })),
    relationWords: RELATION_WORDS,
    kinds: catalogueKinds().map((each) => [each, t(`kinds.${each}.one`)]),
    typed: Object.fromEntries(["id", "note", ...RELATION_FIELDS].map((name) => [name, text(name)])),
    errors,
  });
}

/** The number of the report that a form accepts; undefined if it accepts none. */
function suggestionIn(typed: Typed | undefined): number | undefined {
  return readNumber(typed?.suggestion) || undefined;
}

/** The head of a page with the form of a record. */
export function formHead(title: string, status: number | undefined): PageHead {
  return { title, noindex: true, keepForBack: true, styles: ["home/operator"], ...(status && { status }) };
}

/** A record's name in a language of the site. */
export function recordName(record: object, language: Language): string {
  return localName(record as unknown as Parameters<typeof localName>[0], language).name;
}

/** The fields as views/exchange/edit/field.ejs wants them. */
export async function showFields(
  { db }: EditContext,
  req: Request,
  kind: EditKind,
  fields: readonly RecordField[],
  { typed, errors = {}, theirs = {} }: Pick<FormState, "typed" | "errors" | "theirs">,
) {
  const locale = localeOf(req);
  const everyKind = req.site.vocabulary;
  const words = { ...locale, everyKind, vocabulary: vocabularyOf(req, kind) };
  const choices = await listChoices(db, kind, locale);
  return fields.map((field) => {
    const view = showField(field, typed, words, choices);
    const message = errors[view.name];
    const error = message && locale.t("input.sentence", { label: view.label, message });
    return { ...view, error, theirs: theirs[view.name] };
  });
}
