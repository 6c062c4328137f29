import { isOtherKind, type SearchableKind } from "../words/kinds/searchable-kinds.ts";
import { type Paths, withPrefix } from "../words/urls.ts";
import { sitePagePath } from "./site-pages.ts";

/** A choice such as the dark theme, which is made where the reader is. */
const CHOICE = /^\/(?=#)/;

/** The path of what was found, in the language that `paths` and `prefix` are of. */
export function foundPath(paths: Paths, prefix: string, kind: SearchableKind, id: string): string {
  if (kind === "pages") return withPrefix(prefix, sitePagePath(id));
  if (kind === "servers") return paths.server(id);
  if (kind === "shop") return paths.donateItem(id);
  return paths.entry(kind, id);
}

/** The same as an address in a page: a choice leads nowhere else. */
export function foundAddress(paths: Paths, prefix: string, kind: SearchableKind, id: string): string {
  return isOtherKind(kind) && CHOICE.test(sitePagePath(id))
    ? sitePagePath(id).replace(CHOICE, "")
    : foundPath(paths, prefix, kind, id);
}
