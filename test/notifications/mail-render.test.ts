import { describe, expect, it } from "vitest";
import {
  type MailData,
  type MailOffer,
  type MailTemplate,
  renderMail,
} from "../../src/notifications/mail/render.ts";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const SITE = { name: "Almanac", baseUrl: "https://almanac.test", secret: "only tests know this" };

const OFFER: MailOffer = {
  itemName: "Golden Desert Eagle",
  itemNames: { ru: "Золотой Desert Eagle" },
  title: "Autumn sale",
  titles: {},
  isRegular: false,
  low: null,
  wish: null,
  oldPrice: "1499.00",
  newPrice: "1124.25",
  currency: "RUB",
  endsAt: new Date("2026-11-28T21:30:00Z"),
  picture: undefined,
  link: "https://almanac.test/donate/golden%22deagle",
};

const READER = {
  name: "Carl Johnson",
  timeZone: "Europe/Moscow" as string | null,
  settingsLink: "https://almanac.test/notifications/settings",
  unsubscribeLink: "https://almanac.test/unsubscribe/abc",
};

const SAMPLES: { [Template in MailTemplate]: MailData[Template] } = {
  "confirm-email": { name: "Carl", link: "https://almanac.test/confirm-email/abc", minutes: 60 },
  "new-password": {
    accounts: [
      { name: "Carl", link: "https://almanac.test/login/new-password/abc" },
      { name: "Ryder", link: "https://almanac.test/login/new-password/def" },
    ],
    minutes: 60,
  },
  "address-replaced": { name: "Carl", link: "https://almanac.test/profile" },
  "webhook-failed": { name: "Carl", webhook: "Clan", link: "https://almanac.test/notifications/webhooks/1" },
  discount: { ...READER, offer: OFFER },
  "server-alert": {
    ...READER,
    title: "Dawn is back online",
    figures: "12 of 50 online",
    at: new Date("2026-11-28T21:30:00Z"),
    link: "https://almanac.test/servers/dawn",
  },
  digest: { ...READER, offers: [OFFER], more: 2, inboxLink: "https://almanac.test/notifications" },
};

const cases = (Object.keys(SAMPLES) as MailTemplate[]).flatMap((template) =>
  LANGUAGES.map((language) => ({ template, language })),
);

const discount = (
  offer: Partial<MailOffer>,
  { language = "en", ...reader }: Partial<typeof READER> & { language?: string } = {},
) => renderMail(SITE, language, "discount", { ...READER, ...reader, offer: { ...OFFER, ...offer } });

describe.each(cases)("$template in $language", ({ template, language }) => {
  // Words of an alert come in the reader's language.
  const words = template === "server-alert" && language === "ru" ? { title: "Заря: снова онлайн" } : {};
  const rendered = renderMail(SITE, language, template, { ...SAMPLES[template], ...words });

  it("says its language and its subject, in markup and in plain text", async () => {
    const { subject, text, html } = await rendered;
    expect(html).toContain(`<html lang="${language}" dir="ltr">`);
    expect(elements(html, "title")).toEqual([subject]);
    expect(/[а-яё]{4}/i.test(subject)).toBe(language === "ru");
    expect(/[а-яё]{4}/i.test(text)).toBe(language === "ru");
    expect(textOf(html).length).toBeGreaterThan(100);
  });

  it("has every value filled in", async () => {
    const { subject, text, html } = await rendered;
    expect(subject + text + html).not.toMatch(/\{\{|undefined|\bnull\b|NaN|\[object/);
  });

  it("has the same links in both forms", async () => {
    const { text, html } = await rendered;
    const inText = new Set(text.match(/https:\/\/\S+/g));
    const inHtml = new Set(attributes(html, "href").filter((link) => link !== `${SITE.baseUrl}/`));
    expect(inHtml).toEqual(inText);
    expect(inText.size).toBeGreaterThan(0);
  });

  it("loads nothing from anywhere and runs nothing", async () => {
    const { html } = await rendered;
    expect(html).not.toMatch(/<(img|script|link|iframe|object|video|audio|form|base)\b/i);
    expect(html).not.toMatch(/\b(src|background|srcset|poster)\s*=|url\(|@import|\son\w+\s*=/i);
  });

  it("is laid out by tables that are not read out as such, and knows dark screens", async () => {
    const { html } = await rendered;
    const tables = html.match(/<table\b[^>]*>/g) ?? [];
    expect(tables.length).toBeGreaterThan(2);
    expect(tables.filter((table) => !table.includes('role="presentation"'))).toEqual([]);
    expect(html).toContain("prefers-color-scheme: dark");
    // Every colour of the light sheet has a class for the dark one, or is the same in both.
    const coloured = html.match(/<(?!body)[^>]*\bcolor: #[0-9a-f]{6}[^>]*>/g) ?? [];
    const bright = coloured.filter((tag) => !/class="|#ffffff|#f3efe2/.test(tag));
    expect(bright).toEqual([]);
  });
});

describe("a mail of a discount", () => {
  it("tells old and new price, saving, end and zone, item, settings and the way out", async () => {
    const { subject, text, html } = await discount({});
    expect(subject).toBe("Golden Desert Eagle is now 1,124.25 RUB, down from 1,499.00 RUB");
    for (const form of [text, textOf(html)]) {
      expect(form).toMatch(/Hello Carl Johnson,/);
      expect(form).toMatch(/Old price:? 1,499\.00\sRUB/);
      expect(form).toMatch(/New price:? 1,124\.25\sRUB/);
      expect(form).toMatch(/You save:? 374\.75\sRUB \(25%\)/);
      expect(form).toMatch(/Until:? 29\sNov\s2026,\s00:30\sUTC\+3/);
      expect(form).toMatch(/Autumn sale/);
    }
    expect(attributes(html, "href")).toEqual([
      "https://almanac.test/",
      OFFER.link,
      READER.settingsLink,
      READER.unsubscribeLink,
    ]);
  });

  it("leaves out an unknown old price and a missing end", async () => {
    const { subject, text, html } = await discount({ oldPrice: null, endsAt: null, title: null });
    expect(subject).toBe("Golden Desert Eagle is now 1,124.25 RUB");
    expect(text).not.toMatch(/Old price|You save|null|undefined/);
    expect(text).toContain("Until: no end date");
    expect(textOf(html)).not.toMatch(/Old price|You save|null|undefined/);
  });

  it("keeps prices exact, whatever their size", async () => {
    const { text } = await discount({ oldPrice: "90071992547409939.99", newPrice: "90071992547409939.98" });
    expect(text).toContain("Old price: 90,071,992,547,409,939.99");
    expect(text).toContain("You save: 0.01");
  });
});

describe("the end of a discount", () => {
  const until = async (endsAt: string, timeZone: string | null) =>
    /Until: (.*)/.exec((await discount({ endsAt: new Date(endsAt) }, { timeZone })).text)?.[1];

  it.each([
    ["2026-10-25T00:30:00Z", "Europe/Berlin", "25 Oct 2026, 02:30 UTC+2"],
    ["2026-10-25T01:30:00Z", "Europe/Berlin", "25 Oct 2026, 02:30 UTC+1"],
    ["2026-11-28T10:00:00Z", null, "28 Nov 2026, 10:00 UTC"],
    ["2026-11-28T10:00:00Z", "Atlantis/Capital", "28 Nov 2026, 10:00 UTC"],
  ])("%s in %s is %s", async (endsAt, timeZone, text) => {
    expect((await until(endsAt, timeZone))?.replaceAll("\u00a0", " ")).toBe(text);
  });
});

describe("hostile names", () => {
  const HOSTILE = `</td><script>alert(1)</script><img src=x onerror=alert(1)>"'&<%= 7*7 %>\r\nBcc: x@evil.example\r\n\r\nhttps://evil.example/ \u2028{{site}}$t(mail.settings)`;

  it("stay text in the markup", async () => {
    const { html } = await discount(
      { itemName: HOSTILE, itemNames: {}, title: HOSTILE, currency: "<img>" },
      { name: HOSTILE },
    );
    expect(html).not.toMatch(/<script|<img/i);
    expect(attributes(html, "href").filter((link) => link.includes("evil"))).toEqual([]);
    expect(textOf(html)).toContain("</td><script>alert(1)</script>");
    expect(textOf(html)).toContain("<%= 7*7 %>");
    expect(textOf(html)).toContain("{{site}}$t(mail.settings)");
  });

  it("write no lines of their own into plain text or subject", async () => {
    const plain = await discount({ title: "one line" });
    const { subject, text } = await discount(
      { itemName: HOSTILE, itemNames: {}, title: HOSTILE },
      { name: HOSTILE },
    );
    expect(subject).not.toMatch(/[\r\n\u2028]/);
    expect(text.split(/[\r\n\u2028]+/)).toHaveLength(plain.text.split(/[\r\n\u2028]+/).length);
    expect(text).toContain("<script>alert(1)</script>");
  });

  it("of accounts do not become links in the eyes of mail programs", async () => {
    const data = { ...SAMPLES["confirm-email"], name: "prizes.example.com" };
    const { text, html } = await renderMail(SITE, "en", "confirm-email", data);
    expect(text).not.toContain("prizes.example.com");
    expect(html).not.toContain("prizes.example.com");
    expect(text.replaceAll("\u2060", "")).toContain("prizes.example.com");
  });
});

describe("links of accounts", () => {
  it.each([
    [60, "en", "expires in one hour"],
    [120, "en", "expires in 2 hours"],
    [45, "ru", "действует 45 минут."],
  ])("of %i minutes in %s: %s", async (minutes, language, words) => {
    const data = { ...SAMPLES["confirm-email"], minutes };
    expect((await renderMail(SITE, language, "confirm-email", data)).text).toContain(words);
  });

  it("of several accounts are named", async () => {
    const { text } = await renderMail(SITE, "en", "new-password", SAMPLES["new-password"]);
    expect(text).toMatch(/for Carl:\n\S+\/abc\n\n.* for Ryder:\n\S+\/def\n/);
    const { accounts, minutes } = SAMPLES["new-password"];
    const one = await renderMail(SITE, "en", "new-password", { accounts: accounts.slice(0, 1), minutes });
    expect(one.text).toMatch(/^Hello Carl,/);
  });
});

describe("a daily mail", () => {
  it("lists its discounts and counts the rest", async () => {
    const offers = Array.from({ length: 30 }, (_, number) => ({
      ...OFFER,
      itemName: `Item ${number}`,
      itemNames: {},
    }));
    const { subject, text, html } = await renderMail(SITE, "en", "digest", {
      ...SAMPLES.digest,
      offers,
      more: 12,
    });
    expect(subject).toBe("42 discounts on your favorites");
    expect(text.match(/^Item \d+$/gm)).toHaveLength(30);
    expect(text).toContain("There are 12 more in your notifications on Almanac.");
    // Gmail cuts mails at 102 KB.
    expect(Buffer.byteLength(html)).toBeLessThan(90_000);
  });

  it("of one discount says so", async () => {
    const { subject, text, html } = await renderMail(SITE, "ru", "digest", { ...SAMPLES.digest, more: 0 });
    expect(subject).toBe("1 скидка на товары из избранного");
    expect(text + html).not.toMatch(/Ещё/);
  });
});
