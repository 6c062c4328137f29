import { promises as dns, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { Miss } from "../adapter.ts";

type Lookup = (host: string) => Promise<LookupAddress[]>;

interface Name {
  addresses: LookupAddress[] | undefined;
  pending: Promise<LookupAddress[]> | undefined;
  askAgainAt: number;
}

const FRESH_MS = 60_000;
const MAX_NAMES = 10_000;

/**
 * Addresses by host name. The system's resolver has few threads, and a name with dead name servers holds one for many
 * seconds: a handful of those would make every other server miss its time limit. So each name has one lookup at a
 * time, and a known name is answered at once from the last lookup while the next one runs.
 */
export class Names {
  readonly #names = new Map<string, Name>();
  readonly #lookup: Lookup;
  readonly #now: () => number;

  constructor(lookup: Lookup = (host) => dns.lookup(host, { all: true }), now = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** The first address of that family. Rejects when there is none; may take as long as the resolver. */
  async addressOf(host: string, family: number): Promise<string> {
    if (isIP(host)) return host;
    const found = (await this.addressesOf(host)).find((address) => address.family === family);
    if (!found) throw new Miss(`${host} has no IPv${family} address`);
    return found.address;
  }

  /** All addresses. Rejects like the resolver. */
  async addressesOf(host: string): Promise<LookupAddress[]> {
    const name = this.#nameOf(domainToASCII(host) || host);
    return name.addresses ?? name.pending ?? [];
  }

  #nameOf(host: string): Name {
    const name = this.#names.get(host) ?? { addresses: undefined, pending: undefined, askAgainAt: 0 };
    if (!this.#names.has(host) && this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(host, name);
    if (this.#now() >= name.askAgainAt) this.#ask(host, name);
    return name;
  }

  /** A failed lookup is the answer until the next one, unless addresses are known from before. */
  #ask(host: string, name: Name): void {
    name.askAgainAt = Number.POSITIVE_INFINITY;
    name.pending = this.#lookup(host);
    name.pending
      .then((addresses) => {
        name.addresses = addresses;
      })
      .catch(() => undefined)
      .finally(() => {
        name.askAgainAt = this.#now() + FRESH_MS;
      });
  }
}

/** Shared by all polls of this process. */
export const names = new Names();
