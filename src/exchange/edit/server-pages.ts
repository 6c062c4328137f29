import type { Request, RequestHandler, Response } from "express";
import type { Knex } from "knex";
import { type Action, recordAction } from "../../db/audit-queries.ts";
import {
  listManagedServers,
  type ManagedServer,
  orderServers,
  setPaused,
} from "../../servers/operator-queries.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { lockKind } from "../import/storage/queries.ts";
import { findCurrent } from "../write/current-queries.ts";
import { mergePatch } from "../write/fields.ts";
import { type EditContext, recordIn, writeBy } from "./context.ts";
import { readChanges, typedIn } from "./fields.ts";
import { findRecord, readFields, renderForm } from "./form-page.ts";
import { type Tested, type TestedServer, testServer } from "./server-test.ts";

/** `GET /operator/servers` */
export function showServers(context: EditContext): RequestHandler {
  return (req, res) => renderServers(context, req, res);
}

/** `POST /operator/servers`: tests, pauses, resumes or moves the server that a button names. */
export function changeServer(context: EditContext): RequestHandler {
  return async (req, res) => {
    const { test, pause, resume, up, down } = typedIn(req.body);
    const id = test ?? pause ?? resume ?? up ?? down ?? "";
    const record = (await findCurrent(context.db, "servers", [id])).get(id);
    if (!record) throw notFound("server");
    if (test !== undefined) {
      const tested = await testServer(context, req, record as unknown as TestedServer);
      return renderServers(context, req, res, { ...tested, name: String(record.name) });
    }
    const isPausing = pause !== undefined || resume !== undefined;
    const change = isPausing ? pausing(id, pause !== undefined) : moving(id, up === undefined ? 1 : -1);
    await writeChange(context, req, change);
    if (isPausing)
      await leaveFlash(
        req,
        pause === undefined
          ? lazyText("operator.servers.is_resumed")
          : lazyText("operator.servers.is_paused"),
      );
    const server = (await listManagedServers(context.db)).find((each) => each.id === id);
    res
      .set("Cache-Control", "no-store")
      .redirect(303, `${localeOf(req).paths.operatorServers()}#server-${server?.number}`);
  };
}

/** "Test now" in the form of a server: polls it as the form has it, and shows the form again with the answer. */
export function testTyped(context: EditContext): RequestHandler {
  return async (req, res, next) => {
    const typed = typedIn(req.body);
    if (req.params.kind !== "servers" || typed.step !== "test") return next();
    const edited = {
      kind: "servers",
      id: req.params.id === undefined ? undefined : recordIn(req).id,
    } as const;
    const record = await findRecord(context, edited);
    const { body, wrong } = readChanges(await readFields(context, req, "servers", record, typed), typed);
    const errors = Object.fromEntries(wrong.map((name) => [name, localeOf(req).t("edit.error.value")]));
    const server = mergePatch(record ?? {}, body) as Partial<TestedServer>;
    const tested = wrong.length > 0 ? undefined : await testServer(context, req, server);
    const status = tested ? tested.status : 400;
    await renderForm(context, req, res, edited, record, { typed, errors, tested, status });
  };
}

/** Changes servers; resolves to what the audit log is told, undefined if nothing changed. */
type Change = (transaction: Knex.Transaction) => Promise<Action | undefined>;

async function writeChange({ db }: EditContext, req: Request, change: Change): Promise<void> {
  const { by, confirmAccess } = writeBy(req, "servers");
  await db.transaction(async (transaction) => {
    const action = await change(transaction);
    if (action) await recordAction(transaction, by, action);
    await confirmAccess(transaction);
  });
}

function pausing(id: string, isPaused: boolean): Change {
  return async (transaction) => {
    if (!(await setPaused(transaction, id, isPaused))) return undefined;
    const [before, after] = [{ paused: !isPaused }, { paused: isPaused }];
    return { action: "record.changed", subject: `servers/${id}`, before, after };
  };
}

/** Moves a server by one within its group, or the whole group if it is at the end of that. */
function moving(id: string, by: 1 | -1): Change {
  return async (transaction) => {
    await lockKind(transaction, "servers");
    const servers = await listManagedServers(transaction);
    const groups = Object.values(Object.groupBy(servers, groupKey)) as ManagedServer[][];
    const group = groups.findIndex((members) => members.some((server) => server.id === id));
    const members = groups[group] ?? [];
    const at = members.findIndex((server) => server.id === id);
    if (members[at + by]) swap(members, at, at + by);
    else if (groups[group + by]) swap(groups, group, group + by);
    const [before, after] = [servers, groups.flat()].map((list) => ({
      order: list.map((server) => server.id),
    }));
    await orderServers(transaction, after?.order ?? []);
    return { action: "record.changed", subject: `servers/${id}`, before, after };
  };
}

/** Object keys that are numbers would come first. */
function groupKey({ group_name }: ManagedServer): string {
  return `group ${group_name ?? ""}`;
}

function swap<Item>(list: Item[], a: number, b: number): void {
  [list[a], list[b]] = [list[b] as Item, list[a] as Item];
}

async function renderServers(
  { db }: EditContext,
  req: Request,
  res: Response,
  tested?: Tested & { readonly name: string },
): Promise<void> {
  const head = { title: localeOf(req).t("operator.servers.title"), noindex: true, styles: ["home/operator"] };
  await renderPage(
    req,
    res,
    "exchange/edit/servers",
    { ...head, ...(tested?.status && { status: tested.status }) },
    { servers: await listManagedServers(db), tested },
  );
}
