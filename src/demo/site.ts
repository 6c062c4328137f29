import type { RequestHandler } from "express";
import type { AppContext } from "../http/context.ts";
import { categoryLanguage, searchedCategories, textLanguage } from "../records/text-language.ts";
import { hasDemoData } from "./queries.ts";

const RECHECK_MS = 15_000;

/** Sets `req.site`. Checks now and then for demo records, which another process may have removed. */
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
    req.site = {
      ...look,
      name: config.siteName,
      baseUrl: config.baseUrl,
      imageHosts: config.imageHosts,
      demo,
      categoryLanguage: demo ? categoryLanguage : () => undefined,
      textLanguage,
      searchedCategories: demo ? searchedCategories() : undefined,
      assets,
    };
    next();
  };
}
