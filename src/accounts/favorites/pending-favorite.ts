import type { Db } from "../../db/connect.ts";
import { id } from "../../web/request/params.ts";
import type { UndoForm } from "../../web/session/session.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { type LocalName, localName } from "../../words/i18n/local-name.ts";
import { favoriteKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import { paths } from "../../words/urls.ts";
import { type Favorable, findNames, isFavorite, toggleFavorite } from "./queries.ts";

/**
 * The record whose star a visitor pressed before logging in. It passes as text (`item:weapon-24`) from the button
 * through the log-in forms. Only sending such a form adds it: a link by itself never does.
 */
export interface PendingFavorite {
  kind: Favorable;
  id: string;
}

/** The text of a pending favorite. */
export function pendingText({ kind, id }: PendingFavorite): string {
  return `${kind}:${id}`;
}

/** Parses text that a client sent; undefined if it is malformed. Does not check that the record exists. */
export function parsePending(text: unknown): PendingFavorite | undefined {
  if (typeof text !== "string") return undefined;
  const [, kind = "", rest] = /^([a-z0-9_]+):(.*)$/s.exec(text) ?? [];
  const parsed = id().safeParse(rest);
  if (!parsed.success || !isFavorable(kind)) return undefined;
  return { kind, id: parsed.data };
}

function isFavorable(word: string): word is Favorable {
  return ["server", "donate", ...favoriteKinds()].includes(word);
}

/** The page of the record. */
export function pageOf({ kind, id }: PendingFavorite): string {
  if (kind === "server") return paths.server(id);
  return kind === "donate" ? paths.donateItem(id) : paths.entry(kindBySingular(kind), id);
}

/** The record's name; undefined if it does not exist. */
export async function findPendingName(
  db: Db,
  { kind, id }: PendingFavorite,
  language: Language,
): Promise<LocalName | undefined> {
  const record = await findNames(db, kind, id);
  return record && localName(record, language);
}

/** The next page's message about a toggled record, with a form that undoes it. */
export function toggleMessage(
  { kind, id }: PendingFavorite,
  name: string,
  favorite: boolean,
): { flash: LazyText; undo: UndoForm } {
  const { action, fields } = toggleForm(kind, id);
  return {
    flash: favorite
      ? lazyText("favorites.flash.added", { name })
      : lazyText("favorites.flash.removed", { name }),
    undo: { action, fields: { ...fields, wanted: favorite ? "no" : "yes" } },
  };
}

function toggleForm(kind: Favorable, id: string): UndoForm {
  if (kind === "server") return { action: paths.toggleServerFavorite(), fields: { server_id: id } };
  if (kind === "donate") return { action: paths.toggleDonateFavorite(), fields: { item_key: id } };
  return { action: paths.toggleEntityFavorite(kind), fields: { kind, entity_id: id } };
}

/** An added favorite; without `undo` if it was a favorite before, because undoing would remove it. */
export interface AddedFavorite {
  name: string;
  flash: LazyText;
  undo?: UndoForm;
}

/** Adds a pending favorite; undefined if the record or the user does not exist. */
export async function addPending(
  db: Db,
  userId: number,
  pending: PendingFavorite,
  language: Language,
): Promise<AddedFavorite | undefined> {
  const found = await findPendingName(db, pending, language);
  if (found === undefined) return undefined;
  const wasFavorite = await isFavorite(db, userId, pending.kind, pending.id);
  if ((await toggleFavorite(db, userId, pending.kind, pending.id, "yes")) !== true) return undefined;
  const { flash, undo } = toggleMessage(pending, found.name, true);
  return { name: found.name, flash, ...(!wasFavorite && { undo }) };
}
