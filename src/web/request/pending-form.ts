import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { readToken, signToken } from "../session/signed-token.ts";
import { readBody } from "./input.ts";

/** The content of a form that was sent after its session had ended, kept until the user has logged in. */
export interface PendingForm {
  /** The form's path, without a language. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The page to return to if the form is not shown again. */
  readonly next?: string | undefined;
  /** When it expires, in epoch milliseconds. */
  readonly until: number;
}

/** `all` means that the form has no fixed fields, and no secret ones. */
export type PendingFields = readonly string[] | "all";

/** Maximum size, compressed and as base64. With the signature it fits into the log-in form's 64 KiB. */
const PACKED_AT_MOST = 44 * 1024;
const LASTS_MS = 3_600_000;
const PURPOSE = "typed form";

/**
 * For a form behind a log-in: keeps these fields if the session has ended by the time it is sent. Never name a
 * password. The handler must save nothing for `req.isReplay`; `readForm` returns no values then, and `step` is `edit`.
 * @param read how its body is read
 */
export function keepPendingForm(names: PendingFields, read = readBody): RequestHandler {
  return (req, res, next) => {
    req.pendingFields = names;
    if (req.viewer) {
      // A kept form is being sent now, or was abandoned for another one.
      if (!req.isReplay && req.session?.typed) req.session.typed = undefined;
      return next();
    }
    // An unreadable body is not kept, but the log-in page still appears.
    read(req, res, () => next());
  };
}

/** The content of a form that cannot be saved without a log-in; undefined if nothing of it is kept. */
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

/**
 * A typed form as a field of the log-in form. It is signed, so that no other site can prepare a form that would be
 * saved.
 */
export function signPendingForm(secret: string, typed: PendingForm): string {
  return signToken(secret, PURPOSE, pack(typed));
}

/** Undefined for any other text, and for an expired one. */
export function verifyPendingForm(secret: string, token: unknown): PendingForm | undefined {
  const text = typeof token === "string" ? readToken(secret, PURPOSE, token) : undefined;
  return text === undefined ? undefined : unlessExpired(typedForm.parse(unpack(text)));
}

/** Compressed, because Cyrillic text takes two bytes a letter. */
function pack(typed: PendingForm): string {
  return deflateRawSync(JSON.stringify(typed)).toString("base64");
}

/** Only for the output of `pack`, because a stranger's few bytes could expand to gigabytes. */
function unpack(packed: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString());
}

/** A typed form, unless it has expired. */
export function unlessExpired(typed: PendingForm | undefined): PendingForm | undefined {
  return typed && typed.until > Date.now() ? typed : undefined;
}

/** Creates a request for a typed form from the request that repeats it, for the next routes to handle. */
export function replayForm(req: Request, { action, fields }: PendingForm): void {
  req.isReplay = true;
  req.method = "POST";
  req.url = action;
  req.body = { ...fields, step: "edit" };
}

/** The message above such a form, because the logged-in user may be another one. */
export function pendingFormMessage(name: string) {
  return { flash: lazyText("accounts.typed.shown", { name }), tone: "info" } as const;
}
