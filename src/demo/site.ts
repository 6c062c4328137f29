import type { RequestHandler } from "express";
import type { AppContext } from "../http/context.ts";
import { categoryLanguage, searchedCategories, textLanguage } from "../records/text-language.ts";
import { hasDemoData } from "./queries.ts";

const RECHECK_MS = 15_000;

/**
 * Gives every page the site's own data. Whether demo records are there is asked again only now and then, beside the
 * request: another process may have removed them, and no page should wait for that or fail because of it.
 */
export function siteData({ assets, config, db, log, look }: AppContext): RequestHandler {
  let demo = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const recheck = async () => {
    checkedAt = Date.now();
    try {
      demo = await hasDemoData(db);
    } catch (error) {
      checkedAt = Number.NEGATIVE_INFINITY;
      log.debug({ err: error }, "could not tell whether demo data is there");
    }
  };
  let running = Promise.resolve();
  return async (req, _res, next) => {
    const first = checkedAt === Number.NEGATIVE_INFINITY;
    if (Date.now() - checkedAt > RECHECK_MS) running = recheck();
    if (first) await running;
    const { logo, touchIcon, links, accentStyle, themeColours } = look;
    const { siteName: name, baseUrl } = config;
    const languageOf = demo ? categoryLanguage : () => undefined;
    req.site = {
      name,
      baseUrl,
      imageHosts: config.imageHosts,
      demo,
      categoryLanguage: languageOf,
      textLanguage,
      searchedCategories: demo ? searchedCategories() : undefined,
      assets,
      logo,
      touchIcon,
      links,
      accentStyle,
      themeColours,
    };
    next();
  };
}
