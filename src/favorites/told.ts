import type { UndoForm } from "../http/session.ts";
import { type Said, said } from "../i18n/said.ts";

/** What the next page says of a thing that has become a favorite or is none any more, with a form that takes it back. */
export function told(
  name: string,
  favorite: boolean,
  action: string,
  fields: Record<string, string>,
): { flash: Said; undo: UndoForm } {
  return {
    flash: favorite ? said("favorites.flash.added", { name }) : said("favorites.flash.removed", { name }),
    undo: { action, fields: { ...fields, wanted: favorite ? "no" : "yes" } },
  };
}
