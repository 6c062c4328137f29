import { type Bounds, type DownloadRequest, download as fetchBytes } from "../../../web/egress/download.ts";
import { Miss } from "../adapter.ts";
import { names } from "./names.ts";

const LIMITS = { bytesAtMost: 5 * 1024 * 1024, redirectsAtMost: 3 };

/** Downloads a text; rejects on any status but 200. */
export async function download(
  url: string,
  request: DownloadRequest,
  bounds: Pick<Bounds, "signal" | "egress">,
): Promise<string> {
  const resolve = (host: string) => names.addressesOf(host);
  const { status, bytes } = await fetchBytes(url, request, { ...bounds, ...LIMITS, resolve });
  if (status !== 200) throw new Miss(`answered with HTTP status ${status}`);
  return new TextDecoder().decode(bytes);
}

/** An object, so that tests can replace the downloads of public lists. */
export const web = { download };
