import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { sendBody } from "../web/answers/send.ts";
import type { Site } from "../web/look/site.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { problemHandler } from "../web/pages/errors.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, languageVary, localeOf } from "../web/request/locale.ts";
import { searchText } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import { mountReadOnly } from "../web/server/methods.ts";
import { searchableKinds } from "../words/kinds/searchable-kinds.ts";
import { xmlDocument } from "../words/text/xml.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { searchAll } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";
import { orderGroups, suggestionsEach } from "./result-groups.ts";
import { firstName } from "./shown-names.ts";
import { foundPath } from "./site-pages.ts";

/** Most characters of a name, by the specification: https://github.com/dewitt/opensearch */
const LONGEST_SHORT_NAME = 16;

/** A browser sends a query with every typed letter. */
const SEARCHES = { running: 4, waiting: 48 };

type Context = Pick<BaseContext, "config"> & { look: Pick<Site, "touchIcon">; search: LiveSearch };

/** What lets a browser search the site from its address bar: the description, and suggestions while somebody types. */
export function openSearchRoutes(context: Context): Router {
  const router = Router({ caseSensitive: true });
  mountReadOnly(router, paths.openSearch(), showDescription(context));
  mountReadOnly(router, paths.searchSuggestions(), admitFew(SEARCHES)(showSuggestions(context)));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

function showDescription({ config, look }: Context): RequestHandler {
  return (req, res) =>
    sendBody(req, res, {
      type: "application/opensearchdescription+xml",
      body: describe(config, look.touchIcon, localeOf(req)),
      cacheControl: "public, max-age=3600",
      vary: languageVary(req),
    });
}

function describe(
  { siteName, baseUrl }: Pick<BaseContext["config"], "siteName" | "baseUrl">,
  icon: string,
  { language, paths: local, t }: Locale,
): string {
  const template = (path: string) => `${absoluteUrl(baseUrl, path)}?q={searchTerms}`;
  return xmlDocument({
    OpenSearchDescription: {
      "@xmlns": "http://a9.com/-/spec/opensearch/1.1/",
      ShortName: [...siteName].slice(0, LONGEST_SHORT_NAME).join("").trim(),
      Description: t("layout.description", { site: siteName }),
      InputEncoding: "UTF-8",
      Language: language,
      Image: { "#text": absoluteUrl(baseUrl, icon), "@type": "image/png" },
      Url: [
        { "@type": "text/html", "@template": template(local.search()) },
        { "@type": "application/x-suggestions+json", "@template": template(local.searchSuggestions()) },
        {
          "@type": "application/opensearchdescription+xml",
          "@rel": "self",
          "@template": absoluteUrl(baseUrl, local.openSearch()),
        },
      ],
    },
  });
}

export const suggestionsInput = z.object({ q: searchText.default("") });

/** `[query, names, descriptions, addresses]`: https://github.com/dewitt/opensearch, extension Suggestions 1.1 */
function showSuggestions({ config, search }: Context): RequestHandler {
  const { baseUrl } = config;
  return async (req, res) => {
    const { q } = parseInput(suggestionsInput, req);
    const locale = localeOf(req);
    const kinds = searchableKinds();
    const found = await searchAll(search, kinds, q, { limit: 5, language: locale.language, baseUrl });
    const groups = kinds
      .map((kind) => ({ kind, ...found[kind] }))
      .filter(({ results }) => results.length > 0);
    const shown = orderGroups(groups).flatMap(({ kind, results }) =>
      results.slice(0, suggestionsEach(groups.length)).map((hit) => {
        const category =
          hit.category === null ? "" : `, ${req.site.category(hit.category, locale.language).text}`;
        const description = `${locale.t(`kinds.${kind}.one`)}${category}`;
        const path = foundPath(locale.paths, locale.prefix, kind, hit.id);
        return { name: firstName(hit, locale.language), description, url: absoluteUrl(baseUrl, path) };
      }),
    );
    await sendBody(req, res, {
      type: "application/x-suggestions+json",
      body: JSON.stringify([
        q,
        shown.map(({ name }) => name),
        shown.map(({ description }) => description),
        shown.map(({ url }) => url),
      ]),
      cacheControl: "public, max-age=60",
      vary: languageVary(req),
      dependsOn: ["search"],
    });
  };
}
