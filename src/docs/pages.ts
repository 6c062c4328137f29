import { type RequestHandler, Router } from "express";
import type { AppContext } from "../http/context.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { PROBLEMS, problemType } from "../http/errors.ts";
import { localeOf } from "../http/locale.ts";
import { type OpenapiSite, openapiDocument } from "../http/openapi.ts";
import { renderPage } from "../http/page.ts";
import { paths } from "../urls.ts";
import { describeEndpoint, describeTypes } from "./describe-endpoint.ts";

/** What the API offers and what its errors mean, for people; /api/openapi.json says the same to programs. */
export function docsPages({ config, sessions }: AppContext, endpoints: Endpoint[]): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    paths.apiDocs(),
    showApiDocs(endpoints, {
      name: config.siteName,
      baseUrl: config.baseUrl,
      cookieName: sessions.cookieName,
    }),
  );
  router.get(paths.errorDocs(), showErrorDocs(config.baseUrl));
  return router;
}

function showApiDocs(endpoints: Endpoint[], site: OpenapiSite): RequestHandler {
  const document = openapiDocument(endpoints, site);
  const types = describeTypes(document);
  return (req, res) => {
    const { t } = localeOf(req);
    const head = {
      title: t("docs.title"),
      description: t("docs.description", { site: site.name }),
      styles: ["docs"],
      changesWith: [],
    };
    return renderPage(req, res, "docs/api", head, {
      endpoints: endpoints.map((declared) => describeEndpoint(declared, document, site.baseUrl, t)),
      types,
    });
  };
}

function showErrorDocs(baseUrl: string): RequestHandler {
  const problems = Object.values(PROBLEMS);
  const exampleType = problemType(baseUrl, PROBLEMS.badInput.slug);
  return (req, res) => {
    const { t } = localeOf(req);
    const head = {
      title: t("docs.problems.title"),
      description: t("docs.problems.description"),
      styles: ["docs"],
      changesWith: [],
    };
    return renderPage(req, res, "docs/errors", head, { problems, exampleType });
  };
}
