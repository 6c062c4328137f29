import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { describeFailure } from "../../notifications/webhooks/post.ts";
import { reasonText } from "../../notifications/webhooks/shown.ts";
import { DownloadError, download } from "../../web/egress/download.ts";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import type { Translate } from "../../words/i18n/translate.ts";

/** The largest file, also after decompression. */
export const MEGABYTES = 32;
const BYTES = MEGABYTES * 1024 * 1024;
const REDIRECTS = 5;
/** Covers all from the look-up of the name to the last byte. Proxies usually give a page a minute. */
const TIMEOUT_S = 50;
/** Longer validators are not worth storing. */
const LONGEST = 500;
const LONGEST_NAME = 100;

/** What recognises a file that was fetched before. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly modified?: string | undefined;
  readonly hash: string;
}

interface FetchOptions {
  readonly egress: EgressPolicy;
  readonly known?: Validators | null;
  readonly stopped?: AbortSignal;
  readonly timeoutS?: number;
}

/** Fetches a file, or resolves to undefined if it is still the one that `known` recognises. @throws DownloadError */
export async function fetchFile(
  url: string,
  { egress, known, stopped, timeoutS = TIMEOUT_S }: FetchOptions,
): Promise<{ name: string; bytes: Buffer; validators: Validators } | undefined> {
  const timeout = AbortSignal.timeout(timeoutS * 1000);
  const signal = stopped ? AbortSignal.any([timeout, stopped]) : timeout;
  const headers = {
    accept: "*/*",
    ...(known?.etag && { "if-none-match": known.etag }),
    ...(known?.modified && { "if-modified-since": known.modified }),
  };
  try {
    const bounds = { signal, egress, bytesAtMost: BYTES, redirectsAtMost: REDIRECTS };
    const { status, bytes, headers: sent } = await download(url, { headers }, bounds);
    if (status === 304 && known) return undefined;
    if (status !== 200) throw new DownloadError(`status ${status}`);
    const hash = createHash("sha256").update(bytes).digest("base64");
    if (hash === known?.hash) return undefined;
    const [etag, modified] = [sent.etag, sent["last-modified"]].map((text) => text?.slice(0, LONGEST));
    const { pathname, hostname } = new URL(url);
    const name = (pathname.split("/").at(-1) || hostname).slice(-LONGEST_NAME);
    return { name, bytes: await unpack(bytes), validators: { etag, modified, hash } };
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw new DownloadError(timeout.aborted ? `timeout ${timeoutS}` : describeFailure(error));
  }
}

/** Limits a file that is packed itself. A damaged one is for the import to refuse. */
async function unpack(bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return promisify(gunzip)(bytes, { maxOutputLength: BYTES }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_BUFFER_TOO_LARGE") throw new DownloadError("too_large");
    return bytes;
  });
}

/** Why a file was not fetched, for people. */
export function fetchProblem(reason: string, t: Translate): string {
  return reasonText(reason, t) ?? t("input.too_large", { megabytes: MEGABYTES });
}
