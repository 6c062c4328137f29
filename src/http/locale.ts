import type { Request, RequestHandler } from "express";
import { FALLBACK, firstKnownLanguage, isLanguage, LANGUAGES, type Language } from "../i18n/languages.ts";
import { type Translate, translate } from "../i18n/translate.ts";
import { localPaths, type Paths, withoutKey, withPrefix } from "../urls.ts";
import { type Format, formatFor } from "./format.ts";

declare module "express-serve-static-core" {
  interface Request {
    /** The language that the path begins with (`/ru/items`); undefined: the path leaves it open. */
    pathLanguage: Language | undefined;
  }
}

/** Everything about an answer that depends on who reads it, rather than on what is in it. */
export interface Locale {
  language: Language;
  /** What the paths of the request's language begin with: `/ru`, or nothing where its path left that open. */
  prefix: string;
  /** Every path of the site, pages with that prefix, feeds in the reader's language: for links and redirects. */
  paths: Paths;
  t: Translate;
  format: Format;
}

/**
 * Takes the language off the beginning of a path, so that everything behind it routes `/ru/items` as `/items`.
 * `req.originalUrl` keeps it. One in other letters is sent on to the address that the page is known by.
 */
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

/** A path whose language is written in other letters than ours, as it should be: `/RU/items` is `/ru/items`. */
function inOurLetters(path: string): string | undefined {
  const [, code = ""] = /^\/([a-zA-Z0-9-]+)(?=[/?]|$)/.exec(path) ?? [];
  const language = LANGUAGES.find((each) => each.toLowerCase() === code.toLowerCase());
  return language === undefined ? undefined : `/${language}${path.slice(1 + code.length)}`;
}

/** The language that a path begins with, if any, and the path behind it: `/ru?x` is the home page in Russian. */
export function splitLanguage(path: string): { language: Language | undefined; path: string } {
  const [, code = "", rest = ""] = /^\/([a-zA-Z0-9-]+)([/?].*)?$/s.exec(path) ?? [];
  if (!isLanguage(code)) return { language: undefined, path };
  return { language: code, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** What a path of this site begins with: `/ru`, or nothing where it leaves the language open. */
export function prefixOf(path: string): string {
  const { language } = splitLanguage(path);
  return language === undefined ? "" : `/${language}`;
}

/** A path in the language that another request's path names; as it is where that leaves it open. */
export function inLanguageOf(req: Request, path: string): string {
  return req.pathLanguage === undefined ? path : withPrefix(`/${req.pathLanguage}`, splitLanguage(path).path);
}

/**
 * How to write to whoever sent a request: in the language of the path, else in that of the account, else in the one
 * that the browser likes best (Accept-Language, RFC 9110, section 12.5.4), else in the first one.
 */
export function localeOf(req: Request): Locale {
  const language = req.pathLanguage ?? languageOfReader(req);
  const prefix = req.pathLanguage === undefined ? "" : `/${req.pathLanguage}`;
  return {
    language,
    prefix,
    paths: pathsFor(language, prefix),
    t: translate(language),
    format: formatFor(language, req.viewer?.timeZone ?? undefined),
  };
}

/**
 * Pages whose path leaves the language open find it anew at each request. A feed cannot: whoever subscribed is a program
 * that says nothing of its reader, so that its link has to say the language.
 */
function pathsFor(language: Language, prefix: string): Paths {
  const paths = localPaths(prefix);
  if (prefix !== "" || language === FALLBACK) return paths;
  const { feed, discountsFeed } = localPaths(`/${language}`);
  return { ...paths, feed, discountsFeed };
}

/** The headers of a request that its language depends on. */
export function languageVary(req: Request): string[] {
  return req.pathLanguage === undefined ? ["Accept-Language"] : [];
}

function languageOfReader(req: Request): Language {
  const told = req.viewer?.language;
  return (told == null ? undefined : firstKnownLanguage([told])) ?? browserLanguage(req) ?? FALLBACK;
}

/** The language that a browser likes best of those that there are texts in; undefined where it names none of them. */
export function browserLanguage(req: Request): Language | undefined {
  const wanted = req.acceptsLanguages();
  // What comes after "any" is wanted less than any.
  const named = wanted.includes("*") ? wanted.slice(0, wanted.indexOf("*")) : wanted;
  return firstKnownLanguage(named) ?? (req.acceptsLanguages([...LANGUAGES]) || undefined);
}

/** A page's address in one language, or the one that leaves the language open (`x-default`). */
interface Alternate {
  language: string;
  path: string;
}

/**
 * A page's addresses for `hreflang`, in the page's head and in the sitemap: search engines want both to agree.
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions
 */
export function alternatesOf(path: string): Alternate[] {
  const fixed = LANGUAGES.map((language) => ({ language, path: withPrefix(`/${language}`, path) }));
  return [...fixed, { language: "x-default", path }];
}
