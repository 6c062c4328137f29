/// <reference path="./gamedig-package.d.ts" />
import { type Game, games, protocols } from "gamedig";
import { z } from "zod";
import { zodMessage } from "../../../words/i18n/lazy-text.ts";
import { compareNames } from "../../../words/i18n/name-order.ts";

/** Protocols that need an account, open connections without limits, or belong to no game. */
const UNSUPPORTED = new Set(["nadeo", "discord"]);

/** The time limit of one poll, in milliseconds. */
export const timeoutOption = z.int().min(250).max(10_000).default(2000);

const port = z.int().min(1).max(65_535);
const HOST = /^[\p{L}\p{N}._:%-]{1,255}$/u;
const ENCODING = /^[a-z0-9_-]{1,30}$/i;

export const gamedigOptions = z.strictObject({
  type: z.string().superRefine((type, context) => {
    if (!findGame(type)) context.addIssue({ code: "custom", message: unknownGame(type) });
  }),
  host: z.string().regex(HOST, zodMessage("refusals.host")).optional(),
  port: port.optional(),
  query_port: port.optional(),
  ip_family: z.union([z.literal(4), z.literal(6)]).optional(),
  count_bots: z.boolean().default(false),
  encoding: z.string().refine(isEncoding, zodMessage("refusals.encoding")).optional(),
  timeout_ms: timeoutOption,
});

export type GamedigOptions = z.infer<typeof gamedigOptions>;

/** A game of gamedig's list, or one of its protocols (`protocol-valve`); undefined for neither. */
export function findGame(type: string): Game | undefined {
  const protocol = /^protocol-(\w+)$/.exec(type)?.[1];
  const game = Object.hasOwn(games, type) ? games[type] : undefined;
  const found = game ?? (protocol === undefined ? undefined : { name: protocol, options: { protocol } });
  if (!found || UNSUPPORTED.has(found.options.protocol)) return undefined;
  return Object.hasOwn(protocols, found.options.protocol) ? found : undefined;
}

/** The games that can be polled, by name. */
export function listGames(): (readonly [id: string, name: string])[] {
  const known = Object.entries(games).filter(([id]) => findGame(id));
  return known.map(([id, { name }]) => [id, name] as const).sort(([, a], [, b]) => compareNames(a, b));
}

function unknownGame(type: string): string {
  const near = Object.entries(games)
    .filter(([id]) => findGame(id))
    .map(([id, game]) => ({ id, score: nearness(type, id, game), name: game.name }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 3);
  const names = near.map(({ id, name }) => `${id} (${name})`);
  return zodMessage("refusals.game", { value: `"${type.slice(0, 60)}"`, near: names.join(", ") });
}

function nearness(type: string, id: string, { name, extra, options }: Game): number {
  return Math.max(
    ...[id, name, extra?.old_id ?? "", options.protocol].map((known) => similarity(type, known)),
  );
}

/** Tests gamedig's own reader, which will decode with it. */
function isEncoding(encoding: string): boolean {
  const { samp: Protocol } = protocols;
  if (!Protocol || !ENCODING.test(encoding)) return false;
  const probe = new Protocol();
  probe.options = { encoding };
  try {
    return probe.reader(Buffer.from("aa")).string(2).length > 0;
  } catch {
    return false;
  }
}

/**
 * The similarity of two names, 0 to 1, ignoring case and punctuation: the share of common pairs of neighbouring letters
 * (Dice's coefficient, https://en.wikipedia.org/wiki/S%C3%B8rensen%E2%80%93Dice_coefficient).
 */
function similarity(a: string, b: string): number {
  const [left, right] = [letterPairs(a), letterPairs(b)];
  const common = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size === 0 ? 0 : (2 * common) / (left.size + right.size);
}

function letterPairs(name: string): Set<string> {
  const letters = ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}
