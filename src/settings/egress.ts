import ipaddr from "ipaddr.js";
import { z } from "zod";
import { mailSettings } from "./mail.ts";
import { hosts, refuse } from "./values.ts";

/** Addresses outside the Internet that the operator has opened. */
export interface OpenedRange {
  /** `192.168.1.0/24`; a single address is a range of its own. */
  readonly range: string;
  /** undefined: every port. */
  readonly port: number | undefined;
}

/** The push services of Chrome, Edge, Firefox and Safari. */
const PUSH_SERVICES = [
  "fcm.googleapis.com",
  "*.push.services.mozilla.com",
  "*.notify.windows.com",
  "*.push.apple.com",
];

/** The settings of what the site connects to. */
export const egressSettings = {
  ...mailSettings,
  PUSH_SERVICES: hosts().default(PUSH_SERVICES).meta({
    description:
      "Hosts that Web Push may be sent to. A host on your own network must also be in `PRIVATE_ADDRESSES`.",
  }),
  PRIVATE_ADDRESSES: z.string().transform(parseRanges).default([]).meta({
    accepts: "addresses and networks with commas between: `127.0.0.1:7777, 192.168.1.0/24`",
    description:
      "Addresses of your own machine and network that the site may poll, import from, and reach by its own webhooks. Without it, it reaches only the Internet ([servers.md](servers.md#servers-on-your-own-network)).",
  }),
  INDEXNOW_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an http(s) address" })
    .optional()
    .meta({
      accepts: "`https://api.indexnow.org/indexnow`",
      description:
        "A search engine to notify of changed pages every minute ([operate.md](operate.md#search-engines)).",
    }),
};

/** `10.0.0.5`, `10.0.0.5:7777`, `192.168.1.0/24`, `fd00::/8`, `[::1]:7777`, with commas between. */
function parseRanges(text: string, context: z.RefinementCtx): readonly OpenedRange[] {
  const ranges = text.split(",").map((part) => readRange(part.trim()));
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === ranges.length) return known;
  return refuse(
    context,
    "must be addresses or networks, each with a port if you like, with commas between: 127.0.0.1:7777, 192.168.1.0/24",
  );
}

function readRange(text: string): OpenedRange | undefined {
  const [, bracketed, bare, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const range = cidrOf(bracketed ?? bare ?? text);
  const port = digits === undefined ? undefined : Number(digits);
  if (range === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  return { range, port };
}

/** The range in its plain form; undefined for other spellings of an address, such as `127.1`. */
function cidrOf(text: string): string | undefined {
  const isFull = ipaddr.IPv4.isValidFourPartDecimal(text.split("/")[0] ?? "") || text.includes(":");
  if (!isFull) return undefined;
  if (ipaddr.isValidCIDR(text)) return text;
  return ipaddr.isValid(text) ? `${text}/${ipaddr.parse(text).kind() === "ipv4" ? 32 : 128}` : undefined;
}
