import type { Request } from "express";
import { createAttemptLimits, waitText } from "../../accounts/limits.ts";
import type { Answer, Details } from "../../servers/poller/adapter.ts";
import { viewerOf } from "../../web/pages/page.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import type { EditContext } from "./context.ts";

/** The parts of a server's record that say how it is polled. */
export interface TestedServer {
  readonly id: string;
  readonly address: string | null;
  readonly adapter: string | null;
  readonly adapter_options: Record<string, unknown>;
}

/** The outcome of one poll, for a page. */
export interface Tested {
  /** The status of the page; undefined: 200. */
  readonly status?: number;
  readonly isOnline: boolean;
  readonly text: string;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly details?: Details | undefined;
}

type Answered = Extract<Answer, { kind: "answered" }>;

/** The code that polls is only loaded where it is needed: it brings hundreds of games. */
const loadPolls = () => import("../../servers/poller/poll-once.ts");

/** The names of the options that polls have. */
export async function listPollOptions(): Promise<readonly string[]> {
  return (await loadPolls()).POLL_OPTIONS;
}

/** The games that can be polled: their id and name. */
export async function listGames(): Promise<readonly (readonly [id: string, name: string])[]> {
  return (await loadPolls()).listGames();
}

/** Polls a server once for an operator, within the limits of the poller. Stores nothing. */
export async function testServer(
  { db, config }: EditContext,
  req: Request,
  { id = "", address = null, adapter = null, adapter_options: options = {} }: Partial<TestedServer>,
): Promise<Tested> {
  const locale = localeOf(req);
  const { t, format } = locale;
  const failed = (text: string, status?: number): Tested => ({
    isOnline: false,
    text,
    ...(status && { status }),
  });
  if (!adapter) return failed(t("operator.servers.test.no_adapter"), 400);
  const wait = await createAttemptLimits(db).countServerTest(viewerOf(req).id);
  if (wait > 0) return failed(t("operator.servers.test.limit", { wait: waitText(t, wait) }), 429);
  const { pollOnce } = await loadPolls();
  const { answer, ms } = await pollOnce(
    { id, address, adapter, options },
    { opened: config.privateAddresses },
  );
  const took = format.number(ms);
  if (answer.kind === "answered")
    return {
      ...{ isOnline: true, text: t("operator.servers.test.answered", { ms: took }) },
      ...{ facts: describeFigures(answer, locale), details: answer.details },
    };
  const { kind } = answer;
  if (kind === "refused")
    return failed(t("operator.servers.test.refused", { place: answer.place, code: "PRIVATE_ADDRESSES" }));
  return failed(missText(answer.reason, took, locale));
}

/** The usual reasons in the operator's language; the others are as the adapter says them. */
function missText(reason: string, ms: string, { t }: Locale): string {
  if (/no answer within|timed out/i.test(reason)) return t("operator.servers.test.silent", { ms });
  if (/ENOTFOUND|EAI_AGAIN|has no (IPv\d )?address/.test(reason))
    return t("operator.servers.test.unknown_host");
  return t("operator.servers.test.missed", { reason });
}

function describeFigures({ figures, name }: Answered, { t, format }: Locale): [string, string][] {
  const { online, max_online, queue } = figures;
  const facts: [string, string | null | undefined][] = [
    [t("edit.column.name"), name],
    [t("servers.column.online"), [online, max_online].map((figure) => format.number(figure)).join(" / ")],
    [t("servers.column.queue"), queue === null ? null : format.number(queue)],
  ];
  return facts.flatMap(([label, value]) => (value ? [[label, value]] : []));
}
