import type { Request } from "express";
import type { ParseKeys } from "i18next";
import type { Knex } from "knex";
import type { AppContext } from "../../http/context.ts";
import type { FieldErrors } from "../../http/form.ts";
import type { Translate } from "../../i18n/translate.ts";
import type { Mailer } from "../../mail/mail.ts";
import type { MailOffer, MailSite } from "../../mail/render.ts";
import type { NotificationSettings } from "../settings-queries.ts";

/**
 * A way in which notifications reach a user beside the inbox. All of them are in ../channels.ts; SQL, jobs and pages
 * read that list.
 */
export interface Channel {
  /** As in `deliveries.channel`, in the names of its jobs and in the path of its form. */
  readonly name: string;
  /** How notifications are sent; undefined: they are fetched. */
  readonly delivery?: Delivery;
  /** Its section of the settings page; undefined: it shares another channel's. */
  readonly settings?: SettingsSection;
}

interface DeliveryBase {
  /** What operators call it. */
  readonly label: ParseKeys;
  /**
   * SQL over `setting`, a row of notification_settings: whether a new notification goes this way. There is one delivery
   * of it, or one for each browser.
   */
  readonly asked: string;
  /** SQL over the same row: whether a delivery that waits is still wanted. */
  readonly wanted: string;
  /** Mail goes to confirmed addresses only, and its jobs wait for one server: they share a lane. */
  readonly byMail?: boolean;
  /** One delivery for each browser of the user. */
  readonly toBrowsers?: boolean;
  /** Why the site cannot send by it as it is configured; undefined: it can. */
  readonly missing?: (config: Pick<AppContext["config"], "mail">) => ParseKeys | undefined;
}

interface SingleDelivery extends DeliveryBase {
  readonly gathered: false;
  /** undefined: this process cannot send by it, and leaves its jobs to others. */
  createSender(parts: SenderParts): Sender | undefined;
}

interface GatheredDelivery extends DeliveryBase {
  /** All that waits for a user goes at once, at most once a day at the user's hour: ../email/digest.ts. */
  readonly gathered: true;
  createSender(parts: SenderParts): GatheredSender | undefined;
}

export type Delivery = SingleDelivery | GatheredDelivery;

/** What senders are made from. */
export interface SenderParts {
  readonly db: Knex;
  readonly site: MailSite;
  /** undefined: this process sends no mail. */
  readonly mailer: Mailer | undefined;
  readonly config: { readonly pushServices: readonly string[] };
}

export type SettingsContext = Pick<AppContext, "config" | "db">;

/** The outcome of a form: the message of the next page, or the errors by field. */
export type Saved = { readonly said: string } | { readonly errors: FieldErrors };

/** A section of the settings page; its template is `notifications/settings-<name>`, given `settings` and `address`. */
export interface SettingsSection {
  title(t: Translate): string;
  /** A script of public/js. */
  readonly script?: string;
  /** The labels of those fields that can be refused. */
  labels?(t: Translate): Record<string, string>;
  /** More data for its template. */
  load?(context: SettingsContext, req: Request, settings: NotificationSettings): Promise<object>;
  /** Takes the form of a logged-in user. */
  save(context: SettingsContext, req: Request): Promise<Saved>;
}

/** A channel that sends. */
export type SendingChannel = Channel & { readonly delivery: Delivery };

/**
 * What a channel needs to know to send one notification; figures are as they are now, not as they were when it was
 * made.
 */
export interface DueDelivery {
  readonly id: number;
  readonly channel: string;
  readonly user: {
    readonly id: number;
    readonly name: string;
    /** The confirmed address; there is one where the channel sends mail. */
    readonly email: string | null;
    readonly language: string | null;
    readonly timeZone: string | null;
  };
  /** The browser to send to; null where the channel sends to none. */
  readonly subscription: {
    readonly id: number;
    readonly endpoint: string;
    readonly p256dh: string;
    readonly auth: string;
  } | null;
  readonly notification: Omit<MailOffer, "link"> & { readonly id: number; readonly itemKey: string };
}

/**
 * Sends one notification. Resolves once the other side has accepted it; rejects with RefusedForGoodError or
 * RecipientGoneError where another try is no use, with BusyError where it is after a while that the other side told, and
 * with anything else for a failure that may pass.
 */
export type Sender = (due: DueDelivery) => Promise<void>;

/** All that waited for one user. */
export interface DueDigest {
  /** The same for each attempt. */
  readonly id: number;
  readonly user: DueDelivery["user"];
  readonly notifications: readonly DueDelivery["notification"][];
}

/** Sends them at once; it resolves and rejects as a Sender does. */
export type GatheredSender = (due: DueDigest) => Promise<void>;

/** The other side is busy and has said for how long. */
export class BusyError extends Error {
  override name = "BusyError";
  readonly waitS: number;

  constructor(message: string, waitS: number) {
    super(message);
    this.waitS = waitS;
  }
}

/** The other side will never take this notification: the delivery is given up and shown to the operator. */
export class RefusedForGoodError extends Error {
  override name = "RefusedForGoodError";
}

/**
 * Nobody is there any more to send to (a browser that unsubscribed): the delivery is dropped, and that is no failure.
 */
export class RecipientGoneError extends Error {
  override name = "RecipientGoneError";
}
