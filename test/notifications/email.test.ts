import { pino } from "pino";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";
import { createEmailSender } from "../../src/notifications/email/sender.ts";
import type { Mailer } from "../../src/notifications/mail/mail.ts";
import { createMailer } from "../../src/notifications/mail/mailer.ts";
import type { MailSite } from "../../src/notifications/mail/render.ts";
import { RecipientGoneError, RefusedForGoodError } from "../../src/notifications/retries.ts";
import type { PictureSite } from "../../src/records/picture.ts";
import { readToken } from "../../src/web/session/signed-token.ts";
import { dueNotification } from "../helpers/notifications.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";

const SITE: MailSite & PictureSite = {
  name: "Almanac",
  baseUrl: "https://almanac.test",
  secret: "only tests know this",
  imageHosts: [],
};

const DUE: DueDelivery = {
  id: 3,
  channel: "email",
  user: { id: 42, name: "Ann", email: "ann@example.org", language: "ru", timeZone: "Asia/Yekaterinburg" },
  subscription: null,
  notification: dueNotification({
    itemKey: "golden/deagle",
    itemName: "Golden Desert Eagle",
    itemNames: { ru: "Золотой Desert Eagle" },
    oldPrice: "1499.00",
    newPrice: "1124.25",
    currency: "RUB",
    endsAt: new Date("2026-11-28T21:30:00Z"),
  }),
};

let peer: SmtpPeer;
let mailer: Mailer | undefined;

beforeEach(async () => {
  peer = await startSmtpPeer();
  const log = pino({ level: "silent" });
  const options = { from: "Almanac <news@almanac.test>", siteName: "Almanac", baseUrl: SITE.baseUrl, log };
  mailer = createMailer({ kind: "smtp", url: peer.url() }, options);
});

afterEach(async () => {
  await mailer?.close();
  await peer.stop();
});

async function send(due: Partial<DueDelivery> = {}): Promise<void> {
  if (!mailer) throw new Error("no mailer");
  await createEmailSender(mailer, SITE)({ ...DUE, ...due });
}

describe("a notification by e-mail", () => {
  it("arrives at the confirmed address, in the user's language and zone", async () => {
    await send();
    expect(peer.mails).toMatchObject([{ from: "news@almanac.test", to: ["ann@example.org"] }]);
    const mail = await PostalMime.parse(peer.mails[0]?.raw ?? "");
    expect(mail.from).toMatchObject({ name: "Almanac", address: "news@almanac.test" });
    expect(mail.subject).toMatch(/^Золотой Desert Eagle: теперь 1\s124,25\sRUB вместо 1\s499,00\sRUB$/);
    expect(mail.text).toMatch(/Действует до: 29\sнояб\.\s2026\sг., 02:30\sUTC\+5/);
    expect(mail.text).toContain("https://almanac.test/ru/donate/golden%2Fdeagle");
    expect(mail.text).toContain("https://almanac.test/ru/notifications/settings");
    expect(mail.html).toContain('href="https://almanac.test/ru/donate/golden%2Fdeagle"');
  });

  it("shows the item's picture as JPEG with its name for who sees none, and says the same in text without", async () => {
    await send();
    const bare = await PostalMime.parse(peer.mails.at(-1)?.raw ?? "");
    expect(bare.html).not.toContain("<img");
    const picture = `${"0f".repeat(16)}_640x320`;
    await send({ notification: { ...DUE.notification, picture } });
    const mail = await PostalMime.parse(peer.mails.at(-1)?.raw ?? "");
    const address = `https://almanac.test/pictures/${"0f".repeat(16)}-128.jpeg`;
    expect(mail.html).toContain(`<img src="${address}" alt="Золотой Desert Eagle" width="128" height="64"`);
    expect(mail.text).toBe(bare.text);
    await send({ notification: { ...DUE.notification, image: "https://tracker.example/a.png" } });
    expect(peer.mails.at(-1)?.raw).not.toContain("tracker.example");
  });

  it("leads to pages that leave the language open where the account told none, or one that the site has not", async () => {
    for (const language of [null, "xx"]) {
      await send({ user: { ...DUE.user, language } });
      const mail = await PostalMime.parse(peer.mails.at(-1)?.raw ?? "");
      expect(mail.subject).toContain("is now");
      expect(mail.text).toContain("https://almanac.test/donate/golden%2Fdeagle");
      expect(mail.text).toContain("https://almanac.test/unsubscribe/");
      expect(mail.text).not.toContain("https://almanac.test/en/");
    }
  });

  it("has the same Message-ID at each attempt", async () => {
    await send();
    await send();
    expect(peer.mails.map(({ messageId }) => messageId)).toEqual([
      "<notification-7@almanac.test>",
      "<notification-7@almanac.test>",
    ]);
  });

  it("can be ended by the mail program with one click (RFC 8058), by the same link as in the mail", async () => {
    await send();
    const raw = peer.mails[0]?.raw ?? "";
    const mail = await PostalMime.parse(raw);
    const header = (key: string) => mail.headers.filter((line) => line.key === key).map(({ value }) => value);
    expect(header("list-unsubscribe-post")).toEqual(["List-Unsubscribe=One-Click"]);
    const [list = "", ...more] = header("list-unsubscribe");
    expect(more).toEqual([]);
    const [, link = "", token = ""] =
      /^<(https:\/\/almanac\.test\/ru\/unsubscribe\/([\w-]+))>$/.exec(list.trim()) ?? [];
    expect(readToken(SITE.secret, "unsubscribe", token)).toBe("42");
    expect(mail.text).toContain(link);
    expect(mail.html).toContain(`href="${link}"`);
  });

  it("is refused for good where the server says that there is no such mailbox", async () => {
    peer.setMood("rejectsRecipient");
    await expect(send()).rejects.toThrow(RefusedForGoodError);
    await expect(send()).rejects.toThrow(/550 5\.1\.1 No such mailbox/);
  });

  it("goes nowhere without a confirmed address", async () => {
    await expect(send({ user: { ...DUE.user, email: null } })).rejects.toThrow(RecipientGoneError);
    expect(peer.mails).toEqual([]);
  });
});
