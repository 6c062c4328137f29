import { type RequestHandler, Router } from "express";
import type { AppContext } from "../http/context.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { PROBLEMS } from "../http/errors.ts";
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
  router.get(paths.errorDocs(), showErrorDocs);
  return router;
}

function showApiDocs(endpoints: Endpoint[], site: OpenapiSite): RequestHandler {
  const document = openapiDocument(endpoints, site);
  const view = {
    endpoints: endpoints.map((declared) => describeEndpoint(declared, document, site.baseUrl)),
    types: describeTypes(document),
  };
  const head = {
    title: "API",
    description: `The JSON API of ${site.name}: search, servers, nicknames and favorites; parameters, answers and examples.`,
  };
  return (req, res) => renderPage(req, res, "docs/api", head, view);
}

const showErrorDocs: RequestHandler = (req, res) =>
  renderPage(
    req,
    res,
    "docs/errors",
    {
      title: "Errors of the API",
      description: "What each problem type of the API means and what to do about it.",
    },
    { problems: Object.values(PROBLEMS) },
  );
