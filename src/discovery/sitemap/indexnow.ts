import { createHmac } from "node:crypto";
import type { Knex } from "knex";
import { listAlternates } from "../../web/request/locale.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { recordPath } from "./build-sitemap.ts";
import { claimTurn, endTurn, listChangedPages } from "./indexnow-queries.ts";

/** URLs of one submission, by the protocol: https://www.indexnow.org/documentation */
const URLS_AT_MOST = 10_000;
const PAGES_AT_MOST = Math.floor(URLS_AT_MOST / listAlternates("/").length);

const TIMEOUT_MS = 10_000;
/** Seconds without submissions after a refusal. */
const PAUSE_S = 600;
const LONGEST_PAUSE_S = 86_400;

/** The search engine to notify, and the site. */
export interface IndexNowSite {
  /** The address of a search engine that takes submissions. */
  readonly endpoint: string;
  readonly baseUrl: string;
  readonly secret: string;
}

/** A search engine refused a submission; the message has its status. */
class IndexNowError extends Error {
  override name = "IndexNowError";
}

/**
 * The key that proves that a submission is the site's own: the site serves it in a file of this name. It is not a
 * secret.
 */
export function indexNowKey(secret: string): string {
  return createHmac("sha256", secret).update("indexnow").digest("hex").slice(0, 32);
}

/** The path of that file. It must be at the root to count for all pages. */
export function indexNowKeyPath(secret: string): string {
  return `/${indexNowKey(secret)}.txt`;
}

/**
 * Notifies a search engine of the pages that changed or were removed since the last time. One of several processes does
 * it at a time. Resolves to the number of URLs sent. Refused ones are retried after a pause.
 * @throws IndexNowError
 */
export async function tellIndexNow(db: Knex, site: IndexNowSite): Promise<number> {
  const turn = await claimTurn(db);
  if (turn === undefined) return 0;
  const { pages, reached } = await listChangedPages(db, turn, PAGES_AT_MOST);
  const urls = pages.flatMap(({ kind, id }) =>
    listAlternates(recordPath(kind, id)).map(({ path }) => absoluteUrl(site.baseUrl, path)),
  );
  const pauseS = urls.length === 0 ? undefined : await submit(site, urls);
  if (pauseS !== undefined) {
    await endTurn(db, turn, pauseS);
    throw new IndexNowError(`IndexNow: ${new URL(site.endpoint).host} did not take ${urls.length} URLs`);
  }
  await endTurn(db, reached, 0);
  return urls.length;
}

/** Resolves to undefined if the URLs were accepted, else to how many seconds to wait. */
async function submit(
  { endpoint, baseUrl, secret }: IndexNowSite,
  urls: string[],
): Promise<number | undefined> {
  const body = {
    host: new URL(baseUrl).host,
    key: indexNowKey(secret),
    keyLocation: absoluteUrl(baseUrl, indexNowKeyPath(secret)),
    urlList: urls,
  };
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    // 202 means that the key is still to be checked.
    if (response.status === 200 || response.status === 202) return undefined;
    const asked = Number(response.headers.get("retry-after") ?? PAUSE_S);
    return Number.isFinite(asked) ? Math.min(Math.max(asked, PAUSE_S), LONGEST_PAUSE_S) : PAUSE_S;
  } catch {
    return PAUSE_S;
  }
}
