import type { Request, RequestHandler, Response } from "express";
import type { Knex } from "knex";
import { recorded } from "../../db/audit-queries.ts";
import { loadServerBoard, orderServers, setPaused } from "../../servers/queries.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { lockKind } from "../import/storage/queries.ts";
import { findCurrent } from "../write/current-queries.ts";
import { mergePatch } from "../write/fields.ts";
import { type EditContext, recordIn, writeBy } from "./context.ts";
import { readChanges, typedIn } from "./fields.ts";
import { findRecord, readFields, renderForm } from "./form-page.ts";
import { type Tested, testServer } from "./server-test.ts";

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
    const { number } = (await context.db("servers").where({ id }).first("number")) ?? {};
    if (!record) throw notFound("server");
    if (test !== undefined)
      return renderServers(context, req, res, {
        ...(await testServer(context, req, record)),
        name: record.name,
      });
    const { by, confirmAccess } = writeBy(req, "servers");
    const change = async (transaction: Knex.Transaction) => {
      const isPaused = pause !== undefined;
      const states =
        isPaused || resume !== undefined
          ? await setPaused(transaction, id, isPaused)
          : await move(transaction, id, up === undefined ? 1 : -1);
      await confirmAccess(transaction);
      return states;
    };
    const subject = `servers/${id}`;
    await recorded(
      context.slowQueryDb,
      by,
      change,
      (states) => states && { action: "record.changed", subject, ...states },
    );
    res.redirect(303, `${localeOf(req).paths.operatorServers()}#server-${number}`);
  };
}

/** Moves a server by one within its group, or the whole group if it is at the end of that. */
async function move(transaction: Knex.Transaction, id: string, by: 1 | -1) {
  await lockKind(transaction, "servers");
  const { servers } = await loadServerBoard(transaction);
  const groups = [...Map.groupBy(servers, ({ group_name }) => group_name).values()];
  const group = groups.findIndex((members) => members.some((server) => server.id === id));
  const members = groups[group] ?? [];
  const at = members.findIndex((server) => server.id === id);
  if (members[at + by]) members.splice(at + by, 0, ...members.splice(at, 1));
  else if (groups[group + by]) groups.splice(group + by, 0, ...groups.splice(group, 1));
  const order = groups.flat().map((server) => server.id);
  await orderServers(transaction, order);
  return { before: { order: servers.map((server) => server.id) }, after: { order } };
}

/** "Test now" in the form of a server: polls it as the form has it, and shows the form again with the answer. */
export function testTyped(context: EditContext): RequestHandler {
  return async (req, res, next) => {
    const typed = typedIn(req.body);
    if (req.params.kind !== "servers" || typed.step !== "test") return next();
    const id = req.params.id === undefined ? undefined : recordIn(req).id;
    const record = await findRecord(context, { kind: "servers", id });
    const fields = await readFields(context, req, "servers", record, typed);
    const { body, errors } = readChanges(fields, typed, localeOf(req).language);
    // A save of such a form shows what is wrong with it.
    if (Object.keys(errors).length > 0) return next();
    const tested = await testServer(context, req, mergePatch(record ?? {}, body));
    const state = { typed, tested, status: tested.status };
    await renderForm(context, req, res, { kind: "servers", id }, record, state);
  };
}

async function renderServers(
  { db }: EditContext,
  req: Request,
  res: Response,
  tested?: Tested & { readonly name: unknown },
): Promise<void> {
  const { status } = tested ?? {};
  const head = { title: localeOf(req).t("servers.title"), noindex: true, styles: ["home/operator"] };
  const { servers } = await loadServerBoard(db);
  const data = { servers, tested };
  await renderPage(req, res, "exchange/edit/servers", { ...head, ...(status && { status }) }, data);
}
