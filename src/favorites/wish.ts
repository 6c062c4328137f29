import type { Db } from "../db/connect.ts";
import { id } from "../http/params.ts";
import type { UndoForm } from "../http/session.ts";
import type { Language } from "../i18n/languages.ts";
import { type LocalName, localName } from "../i18n/local-name.ts";
import type { Sayable } from "../i18n/said.ts";
import { FAVORITE_KINDS, type FavoriteKind, kindOf } from "../kinds/kinds.ts";
import { paths } from "../urls.ts";
import {
  type FavoriteTable,
  findNames,
  isDonateFavorite,
  isEntityFavorite,
  isServerFavorite,
  type Toggled,
  toggleDonateItem,
  toggleEntity,
  toggleServer,
  type Wanted,
} from "./queries.ts";
import { told } from "./told.ts";

/**
 * What a visitor has pressed Favorite for, and is asked to log in first. It travels as a text (`item:weapon-24`) from
 * the button through the forms that log in, and is granted by those alone: no link adds anything by itself.
 */
export interface Wish {
  kind: WishKind;
  id: string;
}

type WishKind = "server" | "donate" | FavoriteKind;

/** What there is to know of one kind. */
interface Kind {
  table: FavoriteTable;
  page(id: string): string;
  /** The form that toggles it. */
  form(id: string): UndoForm;
  isFavorite(db: Db, userId: number, id: string): Promise<boolean>;
  toggle(db: Db, userId: number, id: string, wanted: Wanted): Promise<Toggled>;
}

const SERVER: Kind = {
  table: "servers",
  page: paths.server,
  form: (id) => ({ action: paths.toggleServerFavorite(), fields: { server_id: id } }),
  isFavorite: isServerFavorite,
  toggle: toggleServer,
};

const DONATE: Kind = {
  table: "donate_items",
  page: paths.donateItem,
  form: (id) => ({ action: paths.toggleDonateFavorite(), fields: { item_key: id } }),
  isFavorite: isDonateFavorite,
  toggle: toggleDonateItem,
};

const KINDS = {
  server: SERVER,
  donate: DONATE,
  ...Object.fromEntries(FAVORITE_KINDS.map((kind) => [kind, entity(kind)])),
} as Record<WishKind, Kind>;

function entity(kind: FavoriteKind): Kind {
  const catalogue = kindOf(kind);
  return {
    table: catalogue,
    page: (id) => paths.entry(catalogue, id),
    form: (id) => ({ action: paths.toggleEntityFavorite(), fields: { kind, entity_id: id } }),
    isFavorite: (db, userId, id) => isEntityFavorite(db, userId, kind, id),
    toggle: (db, userId, id, wanted) => toggleEntity(db, userId, kind, id, wanted),
  };
}

/** A wish as it travels. */
export function wishText({ kind, id }: Wish): string {
  return `${kind}:${id}`;
}

/** The wish in a text that a client sent; undefined for what is none. Whether there is such a thing is not asked. */
export function parseWish(text: unknown): Wish | undefined {
  if (typeof text !== "string") return undefined;
  const [, kind = "", rest] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  const parsed = id().safeParse(rest);
  if (!parsed.success || !Object.hasOwn(KINDS, kind)) return undefined;
  return { kind: kind as WishKind, id: parsed.data };
}

/** The page of what is wished for. */
export function pageOfWish({ kind, id }: Wish): string {
  return KINDS[kind].page(id);
}

/** What it is called; undefined where there is no such thing. */
export async function findWished(
  db: Db,
  { kind, id }: Wish,
  language: Language,
): Promise<LocalName | undefined> {
  const thing = await findNames(db, KINDS[kind].table, id);
  return thing && localName(thing, language);
}

/** A wish that has come true; `undo` is missing where it had before. */
export interface Granted {
  name: string;
  flash: Sayable;
  undo?: UndoForm;
}

/** Makes it a favorite of a user; undefined where there is no such thing, or no such user any more. */
export async function grantWish(
  db: Db,
  userId: number,
  wish: Wish,
  language: Language,
): Promise<Granted | undefined> {
  const { form, isFavorite, toggle } = KINDS[wish.kind];
  const found = await findWished(db, wish, language);
  if (found === undefined) return undefined;
  const wasFavorite = await isFavorite(db, userId, wish.id);
  if ((await toggle(db, userId, wish.id, "yes")) !== true) return undefined;
  const { action, fields } = form(wish.id);
  const { flash, undo } = told(found.name, true, action, fields);
  // It was a favorite before: an undo would remove it.
  return { name: found.name, flash, ...(!wasFavorite && { undo }) };
}
