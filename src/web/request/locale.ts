import type { IncomingMessage } from "node:http";
import accepts from "accepts";
import type { Request, RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import {
  FALLBACK,
  firstKnownLanguage,
  isLanguage,
  LANGUAGES,
  type Language,
} from "../../words/i18n/languages.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { withoutKey } from "../../words/safe-urls.ts";
import { localPaths, type Paths, withPrefix } from "../../words/urls.ts";
import { type Format, formatFor } from "./format.ts";

/** Language, links and formats for the user of a response. */
export interface Locale {
  language: Language;
  /** Prefix of paths in the request's language: `/ru`, or "" if its path leaves that open. */
  prefix: string;
  /** All paths, for links and redirects: pages with that prefix, feeds in the user's language. */
  paths: Paths;
  t: Translate;
  format: Format;
}

/** Removes the language from the path, so that `/ru/items` is routed as `/items`. Redirects `/RU/items` to `/ru/items`. */
export const readPathLanguage: RequestHandler = (req, res, next) => {
  const { language, path } = splitLanguage(req.url);
  if (language === undefined) {
    const meant = inOurLetters(req.url);
    return meant === undefined ? next() : res.redirect(308, withoutKey(meant));
  }
  req.pathLanguage = language;
  req.url = path;
  next();
};

/** A path without its language, in any spelling. */
export function withoutLanguage(path: string): string {
  return splitLanguage(inOurLetters(path) ?? path).path;
}

/** A path with the normalised spelling of its language, if it has another: `/ru/items` for `/RU/items`. */
function inOurLetters(path: string): string | undefined {
  const [, code = ""] = /^\/([a-zA-Z0-9-]+)(?=[/?]|$)/.exec(path) ?? [];
  const language = LANGUAGES.find((each) => each.toLowerCase() === code.toLowerCase());
  return language === undefined ? undefined : `/${language}${path.slice(1 + code.length)}`;
}

/** The language of a path, if any, and the rest: `/ru?x` is the home page in Russian. */
export function splitLanguage(path: string): { language: Language | undefined; path: string } {
  const [, code = "", rest = ""] = /^\/([a-zA-Z0-9-]+)([/?].*)?$/s.exec(path) ?? [];
  if (!isLanguage(code)) return { language: undefined, path };
  return { language: code, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** The language prefix of a path: `/ru`, or "" if it leaves the language open. */
export function prefixOf(path: string): string {
  const { language } = splitLanguage(path);
  return language === undefined ? "" : `/${language}`;
}

/** A path in the language of a request's path; unchanged if that leaves it open. */
export function localizePath(req: Request, path: string): string {
  return req.pathLanguage === undefined ? path : withPrefix(`/${req.pathLanguage}`, splitLanguage(path).path);
}

/**
 * The user's locale: by the path, else the account, else Accept-Language (RFC 9110, section 12.5.4), else the first
 * one.
 */
export function localeOf(req: Request): Locale {
  const language = req.pathLanguage ?? readerLanguage(req, req.viewer?.language);
  const prefix = req.pathLanguage === undefined ? "" : `/${req.pathLanguage}`;
  return {
    language,
    prefix,
    paths: pathsFor(language, prefix),
    t: translate(language),
    format: formatFor(language, req.viewer?.timeZone),
  };
}

/** Links of feeds always contain the language, because a feed reader does not send its user's. */
function pathsFor(language: Language, prefix: string): Paths {
  const paths = localPaths(prefix);
  if (prefix !== "" || language === FALLBACK) return paths;
  const { feed, discountsFeed } = localPaths(`/${language}`);
  return { ...paths, feed, discountsFeed };
}

/** The request headers that the language depends on. */
export function languageVary(req: Request): string[] {
  return req.pathLanguage === undefined ? ["Accept-Language"] : [];
}

/** The language of a response whose path leaves it open, by the account's language, if set, and the browser. */
export function readerLanguage(req: IncomingMessage, own: string | null | undefined): Language {
  return (own == null ? undefined : firstKnownLanguage([own])) ?? browserLanguage(req) ?? FALLBACK;
}

/** The language with texts that the browser prefers; undefined if it sends none. */
export function browserLanguage(req: IncomingMessage): Language | undefined {
  const header = req.headers["accept-language"];
  if (header === undefined) return readLanguage(req);
  const known = read.get(header);
  if (known) return known.language;
  const language = readLanguage(req);
  read.set(header, { language });
  return language;
}

/**
 * Cached by Accept-Language: browsers send few different ones, and parsing one takes as long as finding a cached
 * response.
 */
const read = new LRUCache<string, { readonly language: Language | undefined }>({ max: 1_000 });

function readLanguage(req: IncomingMessage): Language | undefined {
  const accepted = accepts(req);
  const wanted = accepted.languages();
  // Languages after "*" rank below any other.
  const named = wanted.includes("*") ? wanted.slice(0, wanted.indexOf("*")) : wanted;
  const preferred = accepted.languages([...LANGUAGES]);
  return firstKnownLanguage(named) ?? (LANGUAGES.find((language) => language === preferred) || undefined);
}

/**
 * A page's addresses for `hreflang`, in the page's head and in the sitemap, because search engines want both to agree.
 * One of them, `x-default`, leaves the language open.
 *
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions
 */
export function listAlternates(path: string): { language: string; path: string }[] {
  const fixed = LANGUAGES.map((language) => ({ language, path: withPrefix(`/${language}`, path) }));
  return [...fixed, { language: "x-default", path }];
}
