import type { Request } from "express";
import type { ParseKeys } from "i18next";
import type { Knex } from "knex";
import type { Pictured, PictureSite } from "../../records/picture.ts";
import type { Config } from "../../settings/config.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import type { FieldErrors } from "../../web/request/form.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { ServerAlert } from "../alerts/alert.ts";
import type { Mailer } from "../mail/mail.ts";
import type { MailOffer, MailSite } from "../mail/render.ts";
import type { NotificationSettings } from "../settings-queries.ts";

/** A way to reach a user in addition to the inbox. SQL, jobs and pages read the list in ../channels.ts. */
export interface Channel {
  /** Used in `deliveries.channel`, in the names of jobs and in the path of its form. */
  readonly name: string;
  /** undefined: notifications are fetched, not sent. */
  readonly delivery?: Delivery;
  /** undefined: it shares another channel's section. */
  readonly settings?: SettingsSection;
}

interface DeliveryBase {
  /** Its name for operators. */
  readonly label: ParseKeys;
  /** SQL over `setting`, a row of notification_settings: whether new notifications are sent by this channel. */
  readonly asked: string;
  /** SQL over the same row: whether waiting deliveries are still wanted. */
  readonly wanted: string;
  /** Mail goes to confirmed addresses only, and its jobs wait for one server: they share a lane. */
  readonly byMail?: boolean;
  /** One delivery for each browser of the user. */
  readonly toBrowsers?: boolean;
  /** Why the site's configuration cannot send by it; undefined: it can. */
  readonly missing?: (config: Pick<BaseContext["config"], "mail">) => ParseKeys | undefined;
}

interface SingleDelivery extends DeliveryBase {
  readonly gathered: false;
  /** undefined: this process cannot send by it and leaves its jobs to others. */
  createSender(parts: SenderParts): Sender | undefined;
}

interface GatheredDelivery extends DeliveryBase {
  /**
   * Everything that waits for a user goes out together, at most once a day: ../email/digest.ts. Alerts of servers, which
   * are of use for minutes, do not go this way.
   */
  readonly gathered: true;
  createSender(parts: SenderParts): GatheredSender | undefined;
}

type Delivery = SingleDelivery | GatheredDelivery;

export interface SenderParts {
  readonly db: Knex;
  readonly site: MailSite & PictureSite;
  /** undefined: this process sends no mail. */
  readonly mailer: Mailer | undefined;
  readonly config: Pick<Config, "pushServices" | "privateAddresses">;
}

export type SettingsContext = Pick<BaseContext, "config" | "db">;

/** The outcome of a form: the message of the next page, or the errors by field. */
type Saved = { readonly said: string } | { readonly errors: FieldErrors };

/** A section of the settings page; its template is `notifications/settings-<name>`, given `settings` and `address`. */
export interface SettingsSection {
  title(t: Translate): string;
  /** A script of public/js. */
  readonly script?: string;
  /** Labels of the fields that can have errors. */
  labels?(t: Translate): Record<string, string>;
  /** More data for its template. */
  load?(context: SettingsContext, req: Request, settings: NotificationSettings): Promise<object>;
  /** Takes the form of a logged-in user. */
  save(context: SettingsContext, req: Request): Promise<Saved>;
}

export type SendingChannel = Channel & { readonly delivery: Delivery };

/** A discount; prices are those of now, not of when the notification was made. */
export type DiscountNotification = Omit<MailOffer, "link" | "picture"> &
  Pictured & { readonly id: number; readonly itemKey: string };

/** News of a favorite server. */
export interface AlertNotification {
  readonly id: number;
  readonly alert: ServerAlert;
}

/** What a channel needs to send one notification. */
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
    /** Hours of the day in the user's zone, `quietUntil` not included; null: no quiet hours. */
    readonly quietFrom?: number | null;
    readonly quietUntil?: number | null;
  };
  /** The browser to send to; null for other channels. */
  readonly subscription: {
    readonly id: number;
    readonly endpoint: string;
    readonly p256dh: string;
    readonly auth: string;
  } | null;
  readonly notification: DiscountNotification | AlertNotification;
}

/**
 * Sends one notification. Resolves once the other side has accepted it. Rejects with RefusedForGoodError or
 * RecipientGoneError if a retry is no use. BusyError means a retry after a given time, anything else a retry at any
 * time.
 */
export type Sender = (due: DueDelivery) => Promise<void>;

/** Everything that waited for one user. */
interface DueDigest {
  /** The same for each attempt. */
  readonly id: number;
  readonly user: DueDelivery["user"];
  readonly notifications: readonly DiscountNotification[];
}

/** Resolves and rejects like a Sender. */
export type GatheredSender = (due: DueDigest) => Promise<void>;

/** The other side requested a wait. */
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

/** There is nobody to send to any more, such as a browser that unsubscribed: the delivery is dropped. */
export class RecipientGoneError extends Error {
  override name = "RecipientGoneError";
}
