import { fileURLToPath } from "node:url";
import ejs from "ejs";
import type { TFunction } from "i18next";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { SharedPicture } from "../../records/picture.ts";
import type { LowName } from "../../records/prices/price-lows.ts";
import { saving } from "../../records/prices/prices.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { type Format, formatFor } from "../../web/request/format.ts";
import { directionOf, type Language, languageFor } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { translate } from "../../words/i18n/translate.ts";
import type { Mailer } from "./mail.ts";

export interface MailSite {
  readonly name: string;
  readonly baseUrl: string;
  /** Signs links that need no log-in. */
  readonly secret: string;
}

/** What jobs that send mail work with. */
export interface MailTaskContext {
  readonly db: Knex;
  readonly mailer: Mailer;
  readonly site: MailSite;
  readonly log: Logger;
}

/** One discount in a mail. Prices are decimal texts. */
export interface MailOffer {
  readonly itemName: string;
  /** Names of the item in other languages, by language. */
  readonly itemNames: Record<string, string>;
  readonly title: string | null;
  /** Titles of the discount by language. */
  readonly titles: Record<string, string>;
  /** Null if the item has no price of its own. */
  readonly oldPrice: string | null;
  readonly newPrice: string;
  readonly currency: string;
  /** Null until an operator ends it. */
  readonly endsAt: Date | null;
  /** Whether the regular price fell: there is no discount and no end. */
  readonly isRegular: boolean;
  /** The low that the new price is at, if that still is the price of the notification. */
  readonly low: LowName | null;
  /** The user's target price; null if they are notified of any discount. */
  readonly wish: string | null;
  /** The absolute address of the item's page. */
  readonly link: string;
  readonly picture: SharedPicture | undefined;
}

/** The recipient of a mail about discounts, with absolute addresses to unsubscribe. */
interface MailReader {
  readonly name: string;
  /** IANA name; null for UTC. */
  readonly timeZone: string | null;
  readonly settingsLink: string;
  readonly unsubscribeLink: string;
}

/** The data of each mail. Names are those of accounts; minutes are a link's lifetime. */
export interface MailData {
  "confirm-email": { name: string; link: string; minutes: number };
  "new-password": { accounts: readonly { name: string; link: string }[]; minutes: number };
  /** To an address that no longer belongs to the account. */
  "address-replaced": { name: string; link: string };
  /** A webhook gets no more messages. */
  "webhook-failed": { name: string; webhook: string; link: string };
  discount: MailReader & { offer: MailOffer };
  /** In the user's language; `figures` of the server at that time, if known. */
  "server-alert": MailReader & { title: string; figures: string | undefined; at: Date; link: string };
  /** `more` counts the discounts that are not listed. */
  digest: MailReader & { offers: readonly MailOffer[]; more: number; inboxLink: string };
}

export type MailTemplate = keyof MailData;

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

type View = { subject: string; preview: string } & Record<string, unknown>;

const VIEWS = fileURLToPath(new URL("../../../views/notifications/mail", import.meta.url));

/** Composes a mail; in English if the language is not set or has no texts. */
export async function renderMail<Template extends MailTemplate>(
  site: MailSite,
  language: string | null,
  template: Template,
  data: MailData[Template],
): Promise<RenderedMail> {
  const chosen = languageFor(language);
  const t = translate(chosen);
  const view = presenters[template](data, { language: chosen, t, site });
  const direction = directionOf(chosen);
  const common = {
    ...view,
    language: chosen,
    direction,
    t,
    site: { name: site.name, baseUrl: site.baseUrl },
  };
  const body = await ejs.renderFile(`${VIEWS}/${template}.ejs`, common, { cache: true });
  return {
    subject: oneLine(view.subject),
    text: await ejs.renderFile(`${VIEWS}/${template}.text.ejs`, common, { cache: true, escape: oneLine }),
    html: await ejs.renderFile(`${VIEWS}/layout.ejs`, { ...common, body }, { cache: true }),
  };
}

interface PresentContext {
  readonly language: Language;
  readonly t: TFunction;
  readonly site: MailSite;
}

const presenters: {
  [Template in MailTemplate]: (data: MailData[Template], context: PresentContext) => View;
} = {
  "confirm-email": ({ name, link, minutes }, { t, site }) => ({
    subject: t("mail.confirm.subject", { site: site.name }),
    preview: t("mail.confirm.title"),
    name: unlinked(name),
    link,
    lasts: lasting(t, minutes),
  }),
  "new-password": ({ accounts, minutes }, { t, site }) => ({
    subject: t("mail.password.subject", { site: site.name }),
    preview: t("mail.password.title"),
    accounts: accounts.map(({ name, link }) => ({ name: unlinked(name), link })),
    lasts: lasting(t, minutes),
  }),
  "webhook-failed": ({ name, webhook, link }, { t }) => ({
    subject: t("mail.webhook.subject", { webhook }),
    preview: t("mail.webhook.title"),
    name: unlinked(name),
    webhook: unlinked(webhook),
    link,
  }),
  "address-replaced": ({ name, link }, { t, site }) => ({
    subject: t("mail.replaced.subject", { site: site.name }),
    preview: t("mail.replaced.title"),
    name: unlinked(name),
    link,
  }),
  discount: ({ offer, ...reader }, { language, t, site }) => {
    const shown = showOffer(offer, language, t, formatFor(language, reader.timeZone));
    return {
      subject: renderSubject(shown, t),
      preview: renderReason(offer, t),
      why: renderReason(offer, t),
      name: unlinked(reader.name),
      offer: shown,
      wayOut: { ...reader, asked: t("mail.discount.asked", { site: site.name }) },
    };
  },
  "server-alert": ({ title, figures, at, link, ...reader }, { language, t, site }) => ({
    subject: title,
    preview: figures ?? t("mail.alert.why"),
    name: unlinked(reader.name),
    title,
    details: [...(figures === undefined ? [] : [figures]), formatFor(language, reader.timeZone).time(at)],
    link,
    wayOut: { ...reader, asked: t("mail.alert.asked", { site: site.name }) },
  }),
  digest: ({ offers, more, inboxLink, ...reader }, { language, t, site }) => {
    const count = offers.length + more;
    const format = formatFor(language, reader.timeZone);
    const shown = offers.map((offer) => showOffer(offer, language, t, format));
    return {
      subject: t("mail.digest.subject", { count }),
      preview: shown.map(({ name }) => name).join(", "),
      name: unlinked(reader.name),
      count,
      offers: shown,
      more,
      inboxLink,
      wayOut: { ...reader, asked: t("mail.digest.asked", { site: site.name }) },
    };
  },
};

function renderReason({ wish }: MailOffer, t: TFunction): string {
  return wish === null ? t("mail.discount.why") : t("mail.discount.why_wish");
}

function renderSubject({ name, newPrice, oldPrice }: ReturnType<typeof showOffer>, t: TFunction): string {
  if (oldPrice === undefined) return t("mail.discount.subject", { item: name, price: newPrice });
  return t("mail.discount.subject_instead", { item: name, price: newPrice, before: oldPrice });
}

function showOffer(offer: MailOffer, language: Language, t: TFunction, { money, time }: Format) {
  const { oldPrice, newPrice, currency, endsAt } = offer;
  const saved = saving(oldPrice, newPrice);
  return {
    name: localName({ name: offer.itemName, names: offer.itemNames }, language).name,
    title: foreignTitle(offer, language),
    link: offer.link,
    picture: offer.picture,
    newPrice: money(newPrice, currency),
    oldPrice: oldPrice === null ? undefined : money(oldPrice, currency),
    saved: saved && t("mail.offer.saved", { amount: money(saved.amount, currency), percent: saved.percent }),
    low: offer.low && t(`donate.lows.at_${offer.low}`),
    wish:
      offer.wish === null ? undefined : t("mail.offer.wish_price", { price: money(offer.wish, currency) }),
    until: offer.isRegular ? undefined : endsAt === null ? t("mail.offer.no_end") : time(endsAt),
  };
}

/** The title in the user's language, else the main one with its language, if known. */
function foreignTitle(offer: MailOffer, language: Language) {
  const title = shownTitle(offer, language);
  return title && { text: title.text, lang: title.lang === language ? undefined : title.lang };
}

function lasting(t: TFunction, minutes: number): string {
  return minutes % 60 === 0
    ? t("mail.lasts_hours", { count: minutes / 60 })
    : t("mail.lasts_minutes", { count: minutes });
}

/**
 * Keeps mail programs from linking a name like `prizes.example`, because a stranger may register with another person's
 * address. The word joiner after each dot is invisible.
 */
function unlinked(name: string): string {
  return name.replaceAll(".", ".\u2060");
}

/** For plain text, where a line break in a name would start a new line. */
function oneLine(value: unknown): string {
  return String(value ?? "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
