import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { readToken, signToken } from "../session/signed-token.ts";
import { readBody } from "./input.ts";

/** What somebody typed into a form whose session had ended, until they have logged in. */
export interface PendingForm {
  /** The form's path, without a language. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The page to return to where it is not shown again. */
  readonly next?: string | undefined;
  /** Epoch milliseconds, after which it is forgotten. */
  readonly until: number;
}

/** `all`: the form has no fixed fields, and none that is a secret. */
export type PendingFields = readonly string[] | "all";

/** With its encoding it fits into the log-in form, which may have 64 KiB. */
const BYTES_AT_MOST = 40 * 1024;
const LASTS_MS = 3_600_000;
const PURPOSE = "typed form";

/**
 * For a form behind a log-in: keeps these fields if the session has ended by the time it is sent. Never name a
 * password. The handler must save nothing for `req.isReplay`; `readForm` gives it no values then, and `step` is `edit`.
 */
export function keepPendingForm(names: PendingFields): RequestHandler {
  return (req, res, next) => {
    req.pendingFields = names;
    if (req.viewer) {
      // Whatever was kept is being sent, or left for another form.
      if (!req.isReplay && req.session?.typed) req.session.typed = undefined;
      return next();
    }
    // An unreadable body is not kept, but the log-in page still appears.
    readBody(req, res, () => next());
  };
}

/** What a form that cannot be saved without a log-in has brought; undefined where nothing of it is kept. */
export function readPendingForm(req: Request, next: string | undefined): PendingForm | undefined {
  const { pendingFields: names } = req;
  const body: unknown = req.body;
  if (names === undefined || typeof body !== "object" || body === null) return undefined;
  const fields = Object.fromEntries(
    Object.entries(body).filter(
      (field): field is [string, string] =>
        typeof field[1] === "string" && (names === "all" || names.includes(field[0])),
    ),
  );
  const typed = { action: req.url, fields, next, until: Date.now() + LASTS_MS };
  const isKept = Object.keys(fields).length > 0 && Buffer.byteLength(JSON.stringify(typed)) <= BYTES_AT_MOST;
  return isKept ? typed : undefined;
}

const typedForm = z.object({
  action: z.string(),
  fields: z.record(z.string(), z.string()),
  next: z.string().optional(),
  until: z.number(),
});

/** A typed form as the log-in form carries it. Signed: it must not lead to a form that would save it. */
export function signPendingForm(secret: string, typed: PendingForm): string {
  return signToken(secret, PURPOSE, JSON.stringify(typed));
}

/** Undefined for any other text, and for what is too old. */
export function verifyPendingForm(secret: string, token: unknown): PendingForm | undefined {
  const text = typeof token === "string" ? readToken(secret, PURPOSE, token) : undefined;
  return text === undefined ? undefined : unlessExpired(typedForm.parse(JSON.parse(text)));
}

/** A typed form, unless its time is over. */
export function unlessExpired(typed: PendingForm | undefined): PendingForm | undefined {
  return typed && typed.until > Date.now() ? typed : undefined;
}

/** Creates a request for a typed form from the request that repeats it: the routes that follow answer. */
export function replayForm(req: Request, { action, fields }: PendingForm): void {
  req.isReplay = true;
  req.method = "POST";
  req.url = action;
  req.body = { ...fields, step: "edit" };
}

/** The message above such a form: the logged-in user may be another one. */
export function pendingFormMessage(name: string) {
  return { flash: lazyText("accounts.typed.shown", { name }), tone: "info" } as const;
}
