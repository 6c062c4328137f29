import { chooseSharedPicture, type PictureSite } from "../../records/picture.ts";
import { saving } from "../../records/prices/prices.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { formatFor } from "../../web/request/format.ts";
import { intlLocale, type Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { absoluteUrl, type Paths } from "../../words/urls.ts";
import { mailPaths } from "../mail/links.ts";
import type { ToldDiscount, ToldEntry, ToldRecord, WebhookEvent } from "./events.ts";
import type { WebhookSite } from "./signed-message.ts";

/** The strip beside a message. Discord takes the colour 0xRRGGBB as a number. */
const COLOURS = {
  sale: 0xd9480f,
  added: 0x2b8a3e,
  changed: 0x1971c2,
  down: 0xc92a2a,
  up: 0x2b8a3e,
  test: 0x0b7285,
};

/** Source: https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const TITLE_CHARACTERS = 256;
const DESCRIPTION_CHARACTERS = 4_096;
/** The length of a name in a list, so that ten fit. */
const NAME_CHARACTERS = 100;

interface Embed {
  readonly title: string;
  readonly url?: string;
  readonly description?: string;
  readonly color: number;
  readonly thumbnail?: { readonly url: string };
}

interface Writing {
  readonly t: Translate;
  readonly language: Language;
  readonly site: WebhookSite;
  readonly link: (make: (paths: Paths) => string) => string;
}

/**
 * The body of a message for Discord, in one language: a card about one record, or a list of the first ones. It mentions
 * nobody, whatever names say. Times are written so that Discord shows them in each reader's own zone.
 * Source: https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function discordPayload(event: WebhookEvent, at: Date, language: Language, site: WebhookSite): string {
  const links = mailPaths(language);
  const writing: Writing = {
    t: translate(language),
    language,
    site,
    link: (make) => absoluteUrl(site.baseUrl, make(links)),
  };
  const embed = { ...renderEmbed(event, writing), timestamp: at.toISOString(), footer: { text: site.name } };
  return JSON.stringify({
    embeds: [{ ...embed, title: cut(embed.title, TITLE_CHARACTERS) }],
    allowed_mentions: { parse: [] },
  });
}

function renderEmbed(event: WebhookEvent, writing: Writing): Embed {
  const { t, link, site, language } = writing;
  const figure = "count" in event.data ? formatFigure(event.data.count, language) : "";
  switch (event.type) {
    case "discount.started": {
      const { count, discounts } = event.data;
      const [only] = discounts;
      if (count === 1 && only) return discountCard(only, writing);
      return {
        title: t("webhooks.message.discounts", { count, figure }),
        url: link((paths) => paths.donate()),
        description: list(
          discounts.map((discount) => discountLine(discount, writing)),
          count,
          writing,
        ),
        color: COLOURS.sale,
        ...thumbnail(
          discounts.map(({ item }) => item),
          site,
        ),
      };
    }
    case "entries.added":
    case "entries.changed": {
      const { kind, count, entries } = event.data;
      const isNew = event.type === "entries.added";
      const color = isNew ? COLOURS.added : COLOURS.changed;
      const section = t(`kinds.${kind}.many`);
      const what = isNew
        ? t("webhooks.message.added", { kind: section, figure })
        : t("webhooks.message.changed", { kind: section, figure });
      const line = (entry: ToldEntry) =>
        linkTo(
          nameIn(entry, language),
          link((paths) => paths.entry(kind, entry.id)),
        );
      const url = link((paths) => paths.catalogue(kind));
      const shown = { color, ...thumbnail(entries, site) };
      return { title: what, url, description: list(entries.map(line), count, writing), ...shown };
    }
    case "server.down":
    case "server.up": {
      const { count, servers } = event.data;
      const isUp = event.type === "server.up";
      const color = isUp ? COLOURS.up : COLOURS.down;
      const [only] = servers;
      if (count === 1 && only) {
        const name = plain(only.name);
        const title = isUp
          ? t("webhooks.message.server_up", { name })
          : t("webhooks.message.server_down", { name });
        return { title, url: link((paths) => paths.server(only.id)), color };
      }
      const title = isUp
        ? t("webhooks.message.servers_up", { count, figure })
        : t("webhooks.message.servers_down", { count, figure });
      const lines = servers.map(({ id, name }) =>
        linkTo(
          name,
          link((paths) => paths.server(id)),
        ),
      );
      return {
        title,
        url: link((paths) => paths.servers()),
        description: list(lines, count, writing),
        color,
      };
    }
    case "test":
      return {
        title: t("webhooks.message.test", { site: site.name }),
        url: link((paths) => paths.home()),
        color: COLOURS.test,
      };
  }
}

function discountCard(discount: ToldDiscount, writing: Writing): Embed {
  const { t, language, site, link } = writing;
  const { item, endsAt } = discount;
  const title = shownTitle(discount, language)?.text;
  const until =
    endsAt === null ? t("push.no_end") : t("webhooks.message.until", { time: timestamp(new Date(endsAt)) });
  return {
    title: plain(nameIn(item, language)),
    url: link((paths) => paths.donateItem(item.id)),
    description: [priceText(discount, language), ...(title === undefined ? [] : [plain(title)]), until].join(
      "\n",
    ),
    color: COLOURS.sale,
    ...thumbnail([item], site),
  };
}

function discountLine(discount: ToldDiscount, { language, link }: Writing): string {
  const { item } = discount;
  const url = link((paths) => paths.donateItem(item.id));
  return `${linkTo(nameIn(item, language), url)}: ${priceText(discount, language)}`;
}

/** `**75.00 EUR** ~~100.00 EUR~~ −25 %` */
function priceText({ oldPrice, newPrice, currency }: ToldDiscount, language: Language): string {
  const { money } = formatFor(language);
  const saved = saving(oldPrice, newPrice);
  const before = oldPrice === null ? "" : ` ~~${money(oldPrice, currency)}~~`;
  return `**${money(newPrice, currency)}**${before}${saved === undefined ? "" : ` −${saved.percent} %`}`;
}

/** As many lines as fit, and the number of further ones. */
function list(lines: readonly string[], count: number, { t, language }: Writing): string {
  const kept: string[] = [];
  let length = 100;
  for (const line of lines) {
    length += line.length + 3;
    if (length > DESCRIPTION_CHARACTERS) break;
    kept.push(`- ${line}`);
  }
  const more = count - kept.length;
  if (more > 0) {
    kept.push(`- ${t("webhooks.message.more", { count: more, figure: formatFigure(more, language) })}`);
  }
  return kept.join("\n");
}

/** The first picture. Discord loads it itself, so it must be public. */
function thumbnail(records: readonly ToldRecord[], site: PictureSite): { thumbnail?: { url: string } } {
  for (const record of records) {
    const shared = chooseSharedPicture(record, site);
    if (shared) return { thumbnail: { url: shared.url } };
  }
  return {};
}

function formatFigure(count: number, language: Language): string {
  return new Intl.NumberFormat(intlLocale(language)).format(count);
}

function nameIn(record: { name: string; names: Record<string, string> }, language: Language): string {
  return localName(record, language).name;
}

function linkTo(name: string, url: string): string {
  return `[${plain(cut(name, NAME_CHARACTERS))}](${url.replace(/[()]/g, (mark) => (mark === "(" ? "%28" : "%29"))})`;
}

/** Escapes a text so that Discord shows it as written: https://support.discord.com/hc/en-us/articles/210298617 */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_~|<>[\]()#:@-]/g, "\\$&");
}

/** A time that Discord shows in the reader's zone and language. */
function timestamp(at: Date): string {
  return `<t:${Math.floor(at.getTime() / 1000)}:f>`;
}

function cut(text: string, characters: number): string {
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
}
