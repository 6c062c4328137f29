import { promises as dns, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";

type Lookup = (host: string) => Promise<LookupAddress[]>;

interface Name {
  addresses: LookupAddress[] | undefined;
  pending: Promise<LookupAddress[]> | undefined;
  resolveAgainAt: number;
}

const FRESH_MS = 60_000;
const MAX_NAMES = 10_000;

/**
 * Addresses by host name. The system's resolver has few threads, and a name with dead name servers holds one for many
 * seconds. A handful of those would make every other server miss its time limit. So each name has one lookup at a
 * time, and a known name returns the last result while the next lookup runs.
 */
export class Names {
  readonly #names = new Map<string, Name>();
  readonly #lookup: Lookup;
  readonly #now: () => number;

  constructor(lookup: Lookup = (host) => dns.lookup(host, { all: true }), now = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** All addresses. Rejects for an unknown name, like the resolver, and may take as long. */
  async addressesOf(host: string): Promise<LookupAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const name = this.#nameOf(domainToASCII(host) || host);
    return name.addresses ?? name.pending ?? [];
  }

  #nameOf(host: string): Name {
    const name = this.#names.get(host) ?? { addresses: undefined, pending: undefined, resolveAgainAt: 0 };
    if (!this.#names.has(host) && this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(host, name);
    if (this.#now() >= name.resolveAgainAt) this.#ask(host, name);
    return name;
  }

  /** A failed lookup is the result until the next one, unless earlier addresses are known. */
  #ask(host: string, name: Name): void {
    name.resolveAgainAt = Number.POSITIVE_INFINITY;
    name.pending = this.#lookup(host);
    name.pending
      .then((addresses) => {
        name.addresses = addresses;
      })
      .catch(() => undefined)
      .finally(() => {
        name.resolveAgainAt = this.#now() + FRESH_MS;
      });
  }
}

/** Shared by all polls of this process. */
export const names = new Names();

/** Reads `host`, `host:port`, `[IPv6]:port` or a bare IPv6 address; undefined for anything else. */
export function parseAddress(address: string): { host: string; port: number | undefined } | undefined {
  const text = address.trim();
  if (/^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(text)) return { host: text, port: undefined };
  const [, bracketed, name, digits] =
    /^(?:\[([\da-f:.]+(?:%\w+)?)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = digits === undefined ? undefined : Number(digits);
  const isPort = port === undefined || (port >= 1 && port <= 65_535);
  return host !== undefined && isPort ? { host, port } : undefined;
}
