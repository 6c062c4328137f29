import type { Request } from "express";
import type { ParseKeys } from "i18next";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Db } from "../../db/connect.ts";
import type { Pictured, PictureSite } from "../../records/picture.ts";
import type { Config } from "../../settings/config.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import type { FieldErrors } from "../../web/request/form.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { ServerAlert } from "../alerts/alert.ts";
import type { Mailer } from "../mail/mail.ts";
import type { MailOffer, MailSite } from "../mail/render.ts";
import type { Attempted, Verdict } from "../retries.ts";
import type { NotificationSettings } from "../settings-queries.ts";

/** A way to notify users. SQL, jobs and pages read the list in ../channels.ts. */
export interface Channel {
  /** Used in `deliveries.channel`, in the names of jobs and in the path of its form. */
  readonly name: string;
  /** Undefined if notifications are fetched, not sent. */
  readonly delivery?: Delivery;
  /** Undefined if it shares another channel's section or has its own pages. */
  readonly settings?: SettingsSection;
}

interface DeliveryBase {
  /** Its name for operators. */
  readonly label: ParseKeys;
  /** Mail goes to confirmed addresses only. All mail channels share a queue, because they wait for one server. */
  readonly byMail?: boolean;
  /** Why the site's configuration cannot send by it; undefined if it can. */
  readonly missing?: (config: Pick<BaseContext["config"], "mail">) => ParseKeys | undefined;
}

/** Sends the notifications of the inbox to their user. */
interface NotifyingBase extends DeliveryBase {
  /** SQL over `setting`, a row of notification_settings: whether new notifications are sent by this channel. */
  readonly asked: string;
  /** SQL over the same row: whether waiting deliveries are still wanted. */
  readonly wanted: string;
  /** Sends one delivery to each browser of the user. */
  readonly toBrowsers?: boolean;
}

interface SingleDelivery extends NotifyingBase {
  readonly sends: "notification";
  /** Undefined if this process cannot send by it and leaves its jobs to others. */
  createSender(parts: SenderParts): Sender | undefined;
}

interface DigestDelivery extends NotifyingBase {
  /**
   * All waiting notifications of a user go out together, at most once a day: ../email/digest.ts. Alerts of servers,
   * which are useful for minutes only, do not go this way.
   */
  readonly sends: "digest";
  createSender(parts: SenderParts): DigestSender | undefined;
}

/** Sends events to receivers with their own addresses. The code that creates the events creates the deliveries too. */
interface EventDelivery extends DeliveryBase {
  readonly sends: "event";
  createTransport(parts: SenderParts): Transport;
}

type Delivery = SingleDelivery | DigestDelivery | EventDelivery;

/** `dead`: failed for good, and shown to operators. `dropped`: no longer worth sending. */
export type DeliveryState = "waiting" | "sent" | "dropped" | "dead";

/** What a delivery's job needs. */
export interface JobOfDelivery {
  readonly id: number;
  readonly channel: string;
  /** Null for a webhook of the site. */
  readonly user_id: number | null;
  /** Null or undefined if it is not for a webhook. */
  readonly webhook_id?: number | null;
}

/** A waiting delivery with the next step. */
export interface PlannedDelivery extends JobOfDelivery, Attempted {
  readonly isUrgent?: boolean;
  readonly step: Step;
  /** Stores what else changes once it was sent, in the same transaction. */
  noteSent?(transaction: Db): Promise<void>;
  /** Stores what else changes after a failed attempt. */
  noteFailed?(transaction: Db, failure: Failure): Promise<void>;
}

/** Dropped for a reason, postponed, or sent. Sending rejects like a Sender. */
export type Step = { readonly drop: string } | { readonly wait: Date } | { send(): Promise<void> };

/** A failed attempt. */
export interface Failure {
  readonly error: unknown;
  /** The error's message, as stored. */
  readonly reason: string;
  readonly verdict: Verdict;
}

/** Finds a waiting delivery of its channel and how to send it; undefined if it is settled or gone. */
export type Transport = (deliveryId: number) => Promise<PlannedDelivery | undefined>;

export interface SenderParts {
  readonly db: Knex;
  readonly log: Logger;
  readonly site: MailSite & PictureSite;
  /** Undefined if this process sends no mail. */
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
  /** Handles the form of a logged-in user. */
  save(context: SettingsContext, req: Request): Promise<Saved>;
}

export type SendingChannel = Channel & { readonly delivery: Delivery };

export type NotifyingChannel = Channel & { readonly delivery: SingleDelivery | DigestDelivery };

/** A discount with its current prices, not those of the notification. */
export type DiscountNotification = Omit<MailOffer, "link" | "picture"> &
  Pictured & { readonly id: number; readonly itemKey: string };

/** A crossing of a favorite server. */
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
    /** The confirmed address, which exists if the channel sends mail. */
    readonly email: string | null;
    readonly language: string | null;
    readonly timeZone: string | null;
    /** Quiet hours in the user's zone, `quietUntil` not included; null without them. */
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
 * RecipientGoneError if a retry cannot help. BusyError asks for a retry after a given time, any other error for a retry
 * at any time: ../retries.ts.
 */
export type Sender = (due: DueDelivery) => Promise<void>;

/** All waiting notifications of one user. */
interface DueDigest {
  /** Constant across attempts. */
  readonly id: number;
  readonly user: DueDelivery["user"];
  readonly notifications: readonly DiscountNotification[];
}

/** Resolves and rejects like a Sender. */
export type DigestSender = (due: DueDigest) => Promise<void>;
