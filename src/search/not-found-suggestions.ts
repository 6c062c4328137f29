import type { RequestHandler } from "express";
import type { BaseContext } from "../web/pages/context.ts";
import type { PageSuggestions } from "../web/pages/error-page.ts";
import { localeOf } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import { searchableKinds } from "../words/kinds/searchable-kinds.ts";
import { searchAsTyped } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";
import { orderGroups } from "./result-groups.ts";
import { foundAddress } from "./site-pages.ts";

/** Longer parts of a path are no name that somebody typed. */
const LONGEST = 60;
const OF_EACH_KIND = 2;
const MOST = 8;

/** Lets pages of errors find what a path that is not there may have meant. Costs nobody anything else. */
export function offerSuggestions({
  search,
  config,
}: Pick<BaseContext, "config"> & { search: LiveSearch }): RequestHandler {
  return (req, _res, next) => {
    req.suggestPages = async () => {
      const words = wordsOfPath(req.path);
      // A 404 waits neither for an index nor for a search with errors.
      if (words === "" || !Object.values(search.ready).every(Boolean)) return { words, pages: [] };
      const { language, paths, prefix } = localeOf(req);
      const kinds = searchableKinds();
      const range = { limit: OF_EACH_KIND, language, baseUrl: config.baseUrl };
      const found = await searchAsTyped(search, kinds, words, range);
      const groups = kinds.map((kind) => ({ kind, ...found[kind] }));
      const pages = orderGroups(groups).flatMap(({ kind, results }): PageSuggestions["pages"] =>
        results.map((hit) => {
          const { name, lang } = localName(hit, language);
          return { href: foundAddress(paths, prefix, kind, hit.id), name, lang, kind };
        }),
      );
      return { words, pages: pages.slice(0, MOST) };
    };
    next();
  };
}

/** What the last part of a path says: `desert eagle` of `/wiki/Desert_Eagle.html`. */
export function wordsOfPath(path: string): string {
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  const words = decoded(last)
    .replace(/\.[a-z]{2,5}$/i, "")
    .replace(/[-_+.\s]+/g, " ")
    .trim();
  return words.length > LONGEST || words.includes("\0") ? "" : words;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
