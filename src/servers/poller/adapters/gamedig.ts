import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { type Core, type Game, protocols } from "gamedig";
import { type EgressPolicy, requirePermitted } from "../../../web/egress/policy.ts";
import {
  type Adapter,
  type Answer,
  type Figures,
  Miss,
  missOfOptions,
  type Target,
  toMiss,
} from "../adapter.ts";
import { findGame, type GamedigOptions, gamedigOptions } from "./gamedig-options.ts";
import { boundGamedig, type Downloads, GamedigQuery, isTimeout } from "./gamedig-query.ts";
import { names, parseAddress } from "./names.ts";

/** Protocols that find a server in a public list: their servers share one fetch. */
const LISTED = new Set(
  "altvmp beammp brokeprotocol minetest ragemp renegadex renown scpsl vintagestory".split(" "),
);
/** The wait for a packet ends a little before the query, so that the query can still report the reason. */
const SHARE_OF_A_STEP = 0.9;
const MAX_KNOWN_PORTS = 10_000;

interface Server extends GamedigOptions {
  readonly id: string;
  readonly game: Game;
  readonly host: string;
}

/** The port that answered last, by server: the query port can be any of several. */
const knownPorts = new Map<string, number | undefined>();
let isBounded = false;

/** All games of gamedig (https://github.com/gamedig/node-gamedig/blob/master/GAMES_LIST.md). */
export const gamedigAdapter: Adapter = {
  options: gamedigOptions,

  groupOf({ id, address, options }) {
    if (options.host === undefined && (address === null || !parseAddress(address)))
      throw nothingToAsk(address);
    const protocol = typeof options.type === "string" ? findGame(options.type)?.options.protocol : undefined;
    return protocol && LISTED.has(protocol) ? `gamedig list ${protocol}` : `gamedig ${id}`;
  },

  async ask(targets, signal, egress) {
    const over = new AbortController();
    const downloads: Downloads = { shared: new Map(), signal: over.signal, egress };
    const answers = targets.map(
      async (target) => [target.id, await askOne(target, downloads, signal)] as const,
    );
    try {
      return new Map(await Promise.all(answers));
    } finally {
      over.abort(new Miss("the poll is over"));
    }
  },
};

function nothingToAsk(address: string | null): Miss {
  const record = address === null ? "has no address" : `has "${address}", which is not host or host:port`;
  return new Miss(`nothing to ask: the record ${record}, and its options no "host"`);
}

async function askOne(target: Target, downloads: Downloads, signal: AbortSignal): Promise<Answer> {
  try {
    const options = gamedigOptions.safeParse(target.options);
    if (!options.success) return missOfOptions(options.error);
    return await askPorts(serverOf(target, options.data), downloads, signal);
  } catch (error) {
    return toMiss(error);
  }
}

function serverOf({ id, address }: Target, options: GamedigOptions): Server {
  const game = findGame(options.type);
  const parsed = address === null ? undefined : parseAddress(address);
  const host = options.host ?? parsed?.host;
  if (!game) throw new Miss(`gamedig has no game "${options.type}"`);
  if (!host) throw nothingToAsk(address);
  const port = options.port ?? (options.host === undefined ? parsed?.port : undefined);
  return { ...options, id, game, host, port };
}

/** Queries the port that answered last, or else the game's possible ports one by one. */
async function askPorts(server: Server, downloads: Downloads, signal: AbortSignal): Promise<Answer> {
  const key = [server.id, server.type, server.host, server.port, server.query_port].join(" ");
  const ports = knownPorts.has(key) ? [knownPorts.get(key)] : listPorts(server);
  const misses: string[] = [];
  let refusal: Answer | undefined;
  for (const port of ports) {
    const answer = await attempt(server, port, server.timeout_ms / ports.length, downloads, signal);
    if (answer.kind === "answered") {
      if (knownPorts.size >= MAX_KNOWN_PORTS) knownPorts.clear();
      knownPorts.set(key, port);
      return answer;
    }
    if (answer.kind === "refused") refusal ??= answer;
    else misses.push(ports.length > 1 ? `port ${port ?? "of the name"}: ${answer.reason}` : answer.reason);
  }
  knownPorts.delete(key);
  // The operator may have opened only some of the ports.
  return misses.length === 0 && refusal ? refusal : { kind: "missed", reason: misses.join("; ") };
}

/**
 * The given port comes first, because the ports beside it, where games often have their query port, may be another
 * server's. If the port is undefined, a name's SRV record decides, or the protocol needs no port.
 */
function listPorts({ game, host, port, query_port }: Server): (number | undefined)[] {
  if (query_port !== undefined) return [query_port];
  const { port: usual, port_query, port_query_offset = [] } = game.options;
  const beside = [port_query_offset].flat().map((offset) => (port ?? usual ?? 0) + offset);
  const alone = port === undefined || port === usual ? [port_query] : [];
  const ports = [port ?? (hasRecord(game, host) ? undefined : usual), ...beside, ...alone, port ?? usual];
  const usable = ports.filter((one) => one !== undefined && one >= 1 && one <= 65_535);
  const isByName = port === undefined && hasRecord(game, host);
  return [...new Set(isByName || usable.length === 0 ? [undefined, ...usable] : usable)];
}

function hasRecord({ options }: Game, host: string): boolean {
  const Protocol = protocols[options.protocol];
  return isIP(host) === 0 && Protocol !== undefined && new Protocol().srvRecord !== null;
}

async function attempt(
  server: Server,
  port: number | undefined,
  limitMs: number,
  downloads: Downloads,
  signal: AbortSignal,
): Promise<Answer> {
  const { protocol } = server.game.options;
  const Protocol = protocols[protocol];
  if (!Protocol) throw new Miss(`gamedig has no protocol "${protocol}"`);
  if (!isBounded) boundGamedig();
  isBounded = true;
  const query = new GamedigQuery({ protocol, limitMs, countBots: server.count_bots }, downloads, signal);
  const core = new Protocol();
  const family = isIP(server.host) || server.ip_family;
  core.udpSocket = query.udp;
  core.dnsResolver = { resolve: (host) => locate({ host, port, family }, core, downloads.egress) };
  core.options = {
    ...server.game.options,
    host: server.host,
    port,
    ipFamily: family,
    encoding: server.encoding,
    socketTimeout: limitMs * SHARE_OF_A_STEP,
    attemptTimeout: limitMs,
    stripColors: true,
    requestPlayers: false,
    query,
  };
  try {
    await core.runOnceSafe();
    return toAnswer(query, query.figuresAtEnd(), "the answer has no readable count of players");
  } catch (error) {
    const why = query.failure ?? error;
    return toAnswer(
      query,
      query.figures(),
      isTimeout(why) ? `no answer within ${Math.round(limitMs)} ms` : why,
    );
  } finally {
    query.end("the query is over");
  }
}

/**
 * The address to query, for gamedig. If the port is unknown, it comes from the name's SRV record. Without `ip_family`,
 * an IPv4 address is preferred.
 */
async function locate(
  { host, port, family }: { host: string; port: number | undefined; family: number | undefined },
  { srvRecord }: Pick<Core, "srvRecord">,
  egress: EgressPolicy,
): Promise<{ address: string; port?: number }> {
  const service =
    port === undefined && srvRecord !== null ? `${srvRecord}.${domainToASCII(host)}` : undefined;
  const records = service === undefined ? [] : await dns.resolveSrv(service).catch(() => []);
  const [place = { name: host, port }] = records;
  const addresses = await names.addressesOf(place.name);
  const found =
    addresses.find((address) => address.family === (family ?? 4)) ?? (family ? undefined : addresses[0]);
  if (!found) throw new Miss(`${place.name} has no ${family ? `IPv${family} ` : ""}address`);
  // A server without a port is not queried but looked up in a list.
  if (place.port === undefined) return { address: found.address };
  requirePermitted(egress, { host: place.name, port: place.port }, addresses);
  return { address: found.address, port: place.port };
}

function toAnswer(query: GamedigQuery, figures: Figures | undefined, error: unknown): Answer {
  if (!figures) return toMiss(error);
  const { details, name } = query.description();
  return { kind: "answered", figures, ...(details && { details }), ...(name && { name }) };
}
