import { deflateRawSync, inflateRawSync } from "node:zlib";
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

/** What it may come to, compressed and as base64: with the signature it fits into the log-in form's 64 KiB. */
const PACKED_AT_MOST = 44 * 1024;
const LASTS_MS = 3_600_000;
const PURPOSE = "typed form";

/**
 * For a form behind a log-in: keeps these fields if the session has ended by the time it is sent. Never name a
 * password. The handler must save nothing for `req.isReplay`; `readForm` gives it no values then, and `step` is `edit`.
 * @param read how its body is read
 */
export function keepPendingForm(names: PendingFields, read = readBody): RequestHandler {
  return (req, res, next) => {
    req.pendingFields = names;
    if (req.viewer) {
      // Whatever was kept is being sent, or left for another form.
      if (!req.isReplay && req.session?.typed) req.session.typed = undefined;
      return next();
    }
    // An unreadable body is not kept, but the log-in page still appears.
    read(req, res, () => next());
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
  const isKept = Object.keys(fields).length > 0 && pack(typed).length <= PACKED_AT_MOST;
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
  return signToken(secret, PURPOSE, pack(typed));
}

/** Undefined for any other text, and for what is too old. */
export function verifyPendingForm(secret: string, token: unknown): PendingForm | undefined {
  const text = typeof token === "string" ? readToken(secret, PURPOSE, token) : undefined;
  return text === undefined ? undefined : unlessExpired(typedForm.parse(unpack(text)));
}

/** Compressed, because a long text in Cyrillic letters takes two bytes a letter. */
function pack(typed: PendingForm): string {
  return deflateRawSync(JSON.stringify(typed)).toString("base64");
}

/** Only for what `pack` made: a stranger's few bytes could become gigabytes. */
function unpack(packed: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString());
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
