import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";
import { names, parseAddress } from "./names.ts";

/** How gamedig's protocols find a server in a public list. */
interface ListForm {
  /** The servers in a list. */
  servers(list: unknown): readonly Server[];
  /** `host:port` of a server. */
  place(server: Server): string;
  /** A list with this server alone, at the address that gamedig looks for. */
  only(server: Server, sought: Sought, list: unknown): unknown;
}

type Server = Readonly<Record<string, unknown>>;

export interface Sought {
  readonly host: string;
  readonly port: number | undefined;
  /** The IP address of the host. */
  readonly address: string;
}

/** How many names of a list are resolved for one server, so that no list keeps the resolver busy. */
const MAX_LOOKED_UP = 64;

const placeOf = ({ host, port }: Sought) => `${host}:${port}`;

/** RAGE MP and alt:V are searched for the host in the record, the others for its address. */
const LISTS: Readonly<Record<string, ListForm>> = {
  ragemp: {
    servers: (list) =>
      recordsIn(list).flatMap((entry) => {
        const servers = recordsIn(entry.servers);
        return [
          ...servers.slice(0, 1).map((server) => ({ id: entry.id, entry, server })),
          ...servers.map((server) => ({ id: server.id, entry, server })),
        ];
      }),
    place: ({ id }) => String(id),
    only: ({ entry, server }, sought) => [{ ...(entry as Server), id: placeOf(sought), servers: [server] }],
  },
  altvmp: {
    servers: recordsIn,
    place: ({ address }) => String(address).replace(/^\w+:\/\/|\/.*$/g, ""),
    only: (server, sought) => [{ ...server, useCdn: false, address: placeOf(sought) }],
  },
  beammp: {
    servers: recordsIn,
    place: ({ ip, port }) => joined(ip, port),
    only: (server, { address }) => [{ ...server, ip: address }],
  },
  brokeprotocol: {
    servers: (list) => recordsIn(Array.isArray(list) ? list : valueAt(list, "servers")),
    place: (server) => joined(valueAt(server, "ip"), valueAt(server, "port")),
    only: (server, { address }, list) => {
      const servers = [{ ...withoutKey(server, "ip"), ip: address }];
      return Array.isArray(list) ? servers : { servers };
    },
  },
  minetest: {
    servers: (list) => recordsIn(valueAt(list, "list")),
    place: ({ address, port }) => joined(address, port),
    only: (server, { address }) => ({ list: [{ ...server, address }] }),
  },
  renegadex: {
    servers: recordsIn,
    place: ({ IP, Port }) => joined(IP, Port),
    only: (server, { address }) => [{ ...server, IP: address }],
  },
  vintagestory: {
    servers: (list) => recordsIn(valueAt(list, "data")),
    place: ({ serverIP }) => String(serverIP),
    only: (server, { address, port }) => ({ data: [{ ...server, serverIP: `${address}:${port}` }] }),
  },
};

/**
 * Changes a list of all servers so that gamedig finds the wanted one in it. By itself it compares texts. So it misses a
 * server if one side has a name and the other an IP address, or the same name in other letters.
 * @returns the list itself if it has no server at that address
 */
export async function findInList(protocol: string, list: unknown, sought: Sought): Promise<unknown> {
  const form = Object.hasOwn(LISTS, protocol) ? LISTS[protocol] : undefined;
  if (!form || sought.port === undefined) return list;
  const listed = form.servers(list).flatMap((server) => {
    const place = parseAddress(form.place(server));
    return place && place.port === sought.port ? [{ server, host: normal(place.host) }] : [];
  });
  const sameHost = listed.find(({ host }) => host === normal(sought.host));
  const found = sameHost ?? (await findByAddress(listed, sought.host));
  return found ? form.only(found.server, sought, list) : list;
}

async function findByAddress<Listed extends { host: string }>(
  listed: readonly Listed[],
  host: string,
): Promise<Listed | undefined> {
  const wanted = await resolveAddresses(host);
  const sameAddress = listed.find((server) => wanted.includes(server.host));
  if (sameAddress) return sameAddress;
  const named = listed.filter((server) => isIP(server.host) === 0).slice(0, MAX_LOOKED_UP);
  const addresses = await Promise.all(named.map((server) => resolveAddresses(server.host)));
  return named.find((_, index) => addresses[index]?.some((address) => wanted.includes(address)));
}

async function resolveAddresses(host: string): Promise<string[]> {
  const addresses = await names.addressesOf(host).catch(() => []);
  return addresses.map(({ address }) => normal(address));
}

function joined(host: unknown, port: unknown): string {
  return isIPv6(String(host)) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Normalises a name or an IP address. */
function normal(host: string): string {
  if (isIP(host) !== 0) return ipaddr.process(host).toString();
  const name = host.replace(/\.$/, "");
  return (domainToASCII(name) || name).toLowerCase();
}

function recordsIn(list: unknown): Server[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Finds a key in any letter case. */
function valueAt(object: unknown, key: string): unknown {
  return Object.entries(object ?? {}).find(([name]) => name.toLowerCase() === key)?.[1];
}

function withoutKey(object: Server, key: string): Server {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name.toLowerCase() !== key));
}
