import path from "node:path";
import { z } from "zod";
import { type OpenedRange, refuse } from "./values.ts";

/** The settings of mail. */
export const mailSettings = {
  SMTP_URL: z.string().transform(parseSmtpUrl).optional().meta({
    accepts: "`smtp://user:password@mail.example:587`, or `smtps://` for TLS from the start",
    description: "The server that takes the site's e-mail. Without it the site sends none and says so.",
    isSecret: true,
  }),
  MAIL_FROM: z.string().transform(parseMailFrom).optional().meta({
    accepts: "`Almanac <almanac@example.org>`",
    unset: "the site's name, `no-reply@` its host",
    description: "The sender of e-mails.",
  }),
};

/** Where mail goes: to a server, into files for a developer, or nowhere. */
export type MailSetting =
  | {
      readonly kind: "smtp";
      readonly url: string;
      /** What it may reach beside the Internet, for a server that an operator chose in the browser. */
      readonly opened?: readonly OpenedRange[];
    }
  | { readonly kind: "files"; readonly directory: string }
  | { readonly kind: "none" };

/** Only a developer's site writes mails into files, where nobody else would find them. */
export function mailSetting(value: { SMTP_URL?: string; NODE_ENV?: string; DATA_DIR: string }): MailSetting {
  if (value.SMTP_URL !== undefined) return { kind: "smtp", url: value.SMTP_URL };
  if (value.NODE_ENV !== "development") return { kind: "none" };
  return { kind: "files", directory: path.resolve(value.DATA_DIR, "mail") };
}

function parseSmtpUrl(text: string, context: z.RefinementCtx): string {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    return refuse(
      context,
      "must be like smtp://user:password@mail.example:587 (smtps:// for TLS from the start)",
    );
  }
  return text;
}

/** `Almanac <almanac@example.org>` or the address alone. */
function parseMailFrom(text: string, context: z.RefinementCtx): string {
  const address = /<([^<>]+)>$/.exec(text)?.[1] ?? text;
  if (/[\r\n]/.test(text) || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(address)) {
    return refuse(context, "must be like Almanac <almanac@example.org>");
  }
  return text;
}
