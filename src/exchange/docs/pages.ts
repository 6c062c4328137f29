import { type Request, type RequestHandler, Router } from "express";
import type { Db } from "../../db/connect.ts";
import { isDatabaseAway } from "../../db/failures.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import type { Endpoint } from "../../web/api/endpoint.ts";
import type { ExampleCalls, ReadDocument } from "../../web/api/openapi-route.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { PROBLEMS, problemType } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { admitFew } from "../../web/server/admission.ts";
import { paths } from "../../words/urls.ts";
import { curl } from "./code-samples.ts";
import { describeEndpoint, describeTypes } from "./describe-endpoint.ts";
import { type ExampleRecords, NO_RECORDS, readExampleRecords } from "./examples.ts";

/** The content of the pages about the API. */
interface Documented {
  readonly endpoints: Endpoint[];
  readonly readDocument: ReadDocument;
  readonly calls: ExampleCalls;
}

/** The API's operations and errors, for people; /api/openapi.json is the same for programs. */
export function docsPages({ config, db }: BaseContext, documented: Documented): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.apiDocs(), admitFew()(showApiDocs(db, config.baseUrl, config.siteName, documented)));
  router.get(paths.errorDocs(), showErrorDocs(config.baseUrl));
  return router;
}

function showApiDocs(
  database: Db,
  baseUrl: string,
  siteName: string,
  { endpoints, readDocument, calls }: Documented,
): RequestHandler {
  return async (req, res) => {
    const document = await readDocument();
    const { t } = localeOf(req);
    const records = await readRecords(req, database);
    const known = { document, baseUrl, records: records ?? NO_RECORDS, calls };
    const head = {
      title: t("docs.title"),
      description: t("docs.description", { site: siteName }),
      styles: ["exchange/docs"],
      scripts: ["exchange/docs"],
      // With made-up ids, the page is not remembered.
      ...(records && { dependsOn: ["catalogue", "servers", "shop"] as const }),
    };
    return renderPage(req, res, "exchange/docs/api", head, {
      endpoints: endpoints.map((declared) => describeEndpoint(declared, known, t)),
      // The first call of the introduction.
      first: curl({
        ...{ method: "GET", credential: "none", body: undefined, answer: "json" },
        url: `${baseUrl}${paths.searchApi()}?q=a`,
      }),
      types: describeTypes(document),
    });
  };
}

/** Undefined while the database is away, as the page needs it for its examples only. */
async function readRecords(req: Request, database: Db): Promise<ExampleRecords | undefined> {
  try {
    return await readExampleRecords(await snapshotFor(req, database));
  } catch (error) {
    if (isDatabaseAway(error)) return undefined;
    throw error;
  }
}

function showErrorDocs(baseUrl: string): RequestHandler {
  const problems = Object.values(PROBLEMS);
  const exampleType = problemType(baseUrl, PROBLEMS.badInput.slug);
  return (req, res) => {
    const { t } = localeOf(req);
    const head = {
      title: t("docs.problems.title"),
      description: t("docs.problems.description"),
      styles: ["exchange/docs"],
      dependsOn: [],
    };
    return renderPage(req, res, "exchange/docs/errors", head, { problems, exampleType });
  };
}
