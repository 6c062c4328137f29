import type { Request } from "express";
import type { Details } from "../../servers/poller/adapter.ts";
import type { PolledServer } from "../../servers/poller/queries.ts";
import { viewerOf } from "../../web/pages/page.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { parseZodMessage, translateText } from "../../words/i18n/lazy-text.ts";
import { adapterErrors } from "../import/records/adapter-options.ts";
import type { EditContext } from "./context.ts";
import { readAddress } from "./fields.ts";

type PolledFields = Pick<PolledServer, "id" | "address" | "adapter"> &
  Record<"adapter_options", PolledServer["options"]>;

/** The outcome of one poll, for a page. */
export interface Tested {
  /** The status of the page; undefined: 200. */
  readonly status?: number | undefined;
  readonly isOnline: boolean;
  readonly text: string;
  readonly details?: Details | undefined;
}

/** Loads the code for polling only where it is needed, because it brings hundreds of games. */
export const loadPolls = () => import("../../servers/poller/poll-once.ts");

/** Polls a server once for an operator, within the limits of the poller. Stores nothing. */
export async function testServer(
  { config, countServerTest }: EditContext,
  req: Request,
  record: unknown,
): Promise<Tested> {
  const { id = "", address = null, adapter, adapter_options: options = {} } = record as Partial<PolledFields>;
  const locale = localeOf(req);
  const { t, format } = locale;
  const failed = (text: string, status?: number): Tested => ({ isOnline: false, text, status });
  if (!adapter) return failed(t("operator.servers.test.no_adapter"), 400);
  if ((await countServerTest(viewerOf(req).id)) > 0) return failed(t("operator.servers.test.limit"), 429);
  const { ADAPTERS, pollOnce } = await loadPolls();
  const { error } = address === null ? {} : readAddress(address);
  if (error) {
    const message = translateText(error, locale.language);
    return failed(t("input.sentence", { label: t("edit.field.address"), message }));
  }
  const wrong = adapterErrors({ adapter, adapter_options: options }, ADAPTERS);
  if (wrong.length > 0) return failed(wrong.map((error) => optionError(error, locale.language)).join("; "));
  const { answer, ms } = await pollOnce(
    { id, address, adapter, options },
    { opened: config.privateAddresses },
  );
  const took = format.number(ms);
  if (answer.kind === "answered") {
    const { name = id, figures, details } = answer;
    const players = [figures.online, figures.max_online].map((figure) => format.number(figure)).join(" / ");
    return {
      isOnline: true,
      text: t("operator.servers.test.answered", { name, ms: took, players }),
      details,
    };
  }
  if (answer.kind === "refused")
    return failed(t("operator.servers.test.refused", { place: answer.place, code: "PRIVATE_ADDRESSES" }));
  return failed(missText(answer.reason, took, locale));
}

/** The usual reasons in the operator's language; the others are as the adapter says them. */
function missText(reason: string, ms: string, { t }: Locale): string {
  if (reason.startsWith("nothing to ask")) return t("operator.servers.test.no_address");
  if (/no answer within|timed out/i.test(reason)) return t("operator.servers.test.silent", { ms });
  if (/ENOTFOUND|EAI_AGAIN|has no (IPv\d )?address/.test(reason))
    return t("operator.servers.test.unknown_host");
  return t("operator.servers.test.missed", { ms, reason });
}

function optionError(
  { path, message }: ReturnType<typeof adapterErrors>[number],
  language: Language,
): string {
  return `${path.slice(-1).join("")}: ${translateText(parseZodMessage(message), language)}`;
}
