import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail, Mailer } from "../../src/notifications/mail/mail.ts";
import { createMailer } from "../../src/notifications/mail/mailer.ts";
import { MailRefusedError } from "../../src/notifications/mail/smtp.ts";
import { type SmtpMood, type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";

const MAIL: Mail = {
  to: "ann@example.org",
  messageId: "<notification-7@almanac.test>",
  subject: "Золотой Desert Eagle: 1 124,25 ₽",
  text: "Hello",
  html: "<p>Hello</p>",
};

/** Long enough for a busy machine, short enough for a test. */
const TIMES = { connect: 800, silence: 900, send: 1_500, close: 300 };

let peer: SmtpPeer;
let open: Mailer[];

beforeEach(async () => {
  peer = await startSmtpPeer();
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((mailer) => mailer.close()));
  await peer.stop();
});

function mailer(url = peer.url(), times: object = TIMES): Mailer {
  const made = createMailer(
    { kind: "smtp", url },
    {
      from: undefined,
      siteName: "Almanac, of sorts",
      baseUrl: "https://almanac.test",
      log: pino({ level: "silent" }),
      times,
    },
  );
  if (!made) throw new Error("no mailer");
  open.push(made);
  return made;
}

async function failureOf(sending: Promise<unknown>): Promise<Error> {
  try {
    await sending;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was sent");
}

describe("what a server gets", () => {
  it("is the whole mail, from the site, under the given Message-ID", async () => {
    await mailer(peer.url("site")).send({ ...MAIL, headers: { "List-Unsubscribe": "<https://a.test/u>" } });
    const [received] = peer.mails;
    expect(received).toMatchObject({
      login: "site",
      from: "no-reply@almanac.test",
      to: ["ann@example.org"],
      messageId: "<notification-7@almanac.test>",
    });
    const mail = await PostalMime.parse(received?.raw ?? "");
    expect(mail.subject).toBe(MAIL.subject);
    expect(mail.from).toMatchObject({ name: "Almanac, of sorts", address: "no-reply@almanac.test" });
    expect(mail.text?.trim()).toBe("Hello");
    expect(mail.html?.trim()).toBe("<p>Hello</p>");
    const header = (key: string) => mail.headers.find((line) => line.key === key)?.value;
    expect(header("list-unsubscribe")).toBe("<https://a.test/u>");
    expect(header("auto-submitted")).toBe("auto-generated");
  });

  it("has headers that are one line each, whatever they hold", async () => {
    const link = `<https://almanac.test/unsubscribe/${"x".repeat(120)}>`;
    await mailer().send({
      ...MAIL,
      headers: { "List-Unsubscribe": link, "X-Evil": "a\r\nBcc: b@example.org" },
    });
    const head = peer.mails[0]?.raw.split("\r\n\r\n")[0];
    expect(head).toContain(`\r\nList-Unsubscribe: ${link}\r\n`);
    expect(head).toContain("\r\nX-Evil: a Bcc: b@example.org\r\n");
  });

  it("goes to one address, whatever characters it holds", async () => {
    await mailer().send({ ...MAIL, to: "a,b@example.org" });
    expect(peer.mails.map(({ to }) => to)).toEqual([['"a,b"@example.org']]);
  });

  it("comes over connections that are kept", async () => {
    const sender = mailer();
    for (let number = 0; number < 5; number++) await sender.send(MAIL);
    expect(peer.mails).toHaveLength(5);
    expect(peer.connections).toBe(1);
  });

  it("comes over a new connection where the server has ended the old one", async () => {
    const sender = mailer();
    await sender.send(MAIL);
    peer.disconnect();
    await sender.send(MAIL);
    expect(peer.mails).toHaveLength(2);
  });
});

describe("a refusal for good", () => {
  it("is an invalid address, which never reaches the server", async () => {
    const failure = await failureOf(mailer().send({ ...MAIL, to: "" }));
    expect(failure).toBeInstanceOf(MailRefusedError);
    expect(peer.attempts).toBe(0);
  });

  it("is an address that would write commands of its own", async () => {
    const failure = await failureOf(mailer().send({ ...MAIL, to: "<ann@example.org>\r\nRCPT TO:<b@c.d>" }));
    expect(failure).toBeInstanceOf(MailRefusedError);
    expect(peer.mails).toEqual([]);
  });

  it.each([
    ["RCPT TO", "550 5.1.1 The account does not exist. Please try double-checking the address"],
    ["RCPT TO", "550 5.1.2 Domain not found"],
    ["RCPT TO", "556 5.1.10 Recipient address has null MX"],
    ["RCPT TO", "550 5.2.1 The mailbox is disabled"],
    ["RCPT TO", "550 No such user here"],
    ["RCPT TO", "553 Mailbox name not allowed"],
    ["RCPT TO", "550 5.7.17 Mailbox owner has changed"],
    ["DATA", "552 5.3.4 Message size exceeds fixed limit"],
    ["DATA", "554 5.6.1 Media not supported"],
    ["DATA", "554 Message rejected"],
  ] as const)("answers %s with %s", async (command, reply) => {
    peer.refuse(command, reply);
    const failure = await failureOf(mailer().send(MAIL));
    expect(failure).toBeInstanceOf(MailRefusedError);
    expect(failure.message).toContain(reply.slice(4));
  });

  it("leaves the connection to the next mail", async () => {
    const sender = mailer();
    peer.setMood("rejectsRecipient");
    await failureOf(sender.send(MAIL));
    peer.setMood("accepts");
    // The connection is free only some time after the refusal.
    await delay(500);
    await sender.send(MAIL);
    expect(peer.connections).toBe(1);
  });
});

describe("a failure that may pass", () => {
  const passing: [SmtpMood, RegExp][] = [
    ["busy", /421/],
    ["rejectsLogin", /535/],
    ["rejectsSender", /550 5\.7\.1 Sender/],
    ["needsLogin", /530/],
    ["dropsMidData", /./],
    ["dropsAccepted", /closed/],
    ["silent", /Greeting never received/],
    ["stalls", /Timeout/],
    ["trickles", /did not take the e-mail within 1\.5 s/],
  ];
  it.each(passing)("is %s", async (mood, message) => {
    peer.setMood(mood);
    const failure = await failureOf(mailer(peer.url("site")).send(MAIL));
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    expect(failure.message).toMatch(message);
  });

  it.each([
    ["RCPT TO", "550 5.4.5 Daily user sending limit exceeded"],
    ["DATA", "550 5.7.1 Message refused by policy"],
    ["RCPT TO", "550 5.1.8 Bad sender's system address"],
    ["RCPT TO", "550 5.1.1 Mailbox is temporarily disabled"],
    ["RCPT TO", "550 5.2.1 Receiving mail at too high a rate, please try again later"],
    ["RCPT TO", "552 5.2.2 Mailbox full"],
    ["RCPT TO", "552 Mailbox full"],
    ["RCPT TO", "550 4.2.1 Try this mailbox another day"],
    ["DATA", "550 Daily message quota exceeded"],
    ["RCPT TO", "554 Your IP has a poor reputation"],
    ["RCPT TO", "550 Please retry in an hour, or later"],
  ] as const)("is %s answered with %s", async (command, reply) => {
    peer.refuse(command, reply);
    const failure = await failureOf(mailer().send(MAIL));
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    expect(failure.message).toContain(reply.slice(4));
  });

  it("is a server that is not there", async () => {
    await peer.stop();
    expect((await failureOf(mailer().send(MAIL))).message).toMatch(/ECONNREFUSED/);
  });

  it("of some mails leaves the others alone", async () => {
    peer.setMood("refusesSome");
    const sender = mailer();
    const sent = await Promise.allSettled(Array.from({ length: 9 }, () => sender.send(MAIL)));
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    expect(peer.mails).toHaveLength(6);
  });
});

describe("one attempt", () => {
  it("is one: a mail that was taken over is not sent again because the answer was lost", async () => {
    peer.setMood("dropsAccepted");
    const sender = mailer();
    await failureOf(sender.send(MAIL));
    await failureOf(sender.send(MAIL));
    await delay(500);
    expect(peer.mails).toHaveLength(2);
  });

  it("that stalls takes no other's place for longer than its time", async () => {
    peer.setMood("trickles");
    const send = 3_000;
    const sender = mailer(peer.url(), { ...TIMES, send });
    const stalled = Array.from({ length: 5 }, () => failureOf(sender.send(MAIL)));
    await expect.poll(() => peer.attempts).toBe(5);
    await delay(300);
    peer.setMood("accepts");
    // All connections are taken: it waits for one, and gets it before its own time is over.
    const waiting = delay(send / 2).then(() => sender.send(MAIL));
    await Promise.all(stalled);
    await waiting;
    expect(peer.mails).toHaveLength(1);
  });
});

describe("closing", () => {
  it("lets a mail that is on its way arrive, and takes no more", async () => {
    const sender = mailer();
    const sending = sender.send(MAIL);
    await peer.asked();
    await sender.close();
    await sending;
    expect(peer.mails).toHaveLength(1);
    await expect(sender.send(MAIL)).rejects.toThrow(/closed/);
  });

  it("does not wait for a server that stalls", async () => {
    peer.setMood("stalls");
    const sender = mailer(peer.url(), { ...TIMES, silence: 600_000, send: 600_000 });
    const failure = failureOf(sender.send(MAIL));
    await peer.asked();
    await sender.close();
    expect(await failure).toBeInstanceOf(Error);
  });
});

describe("a password", () => {
  // An address of this machine that does not say so.
  const elsewhere = (more = "") => peer.url("site").replace("127.0.0.1", "0.0.0.0") + more;

  it("is not told to another machine without encryption", async () => {
    const failure = await failureOf(mailer(elsewhere()).send(MAIL));
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    expect(peer.connections).toBe(1);
    expect(peer.logins).toBe(0);
  });

  it("is not told to who cannot prove to be that machine, unless the operator asked for that", async () => {
    await peer.stop();
    peer = await startSmtpPeer({ starttls: true });
    expect((await failureOf(mailer(elsewhere()).send(MAIL))).message).toMatch(/self-signed|certificate/);
    expect(peer.logins).toBe(0);
    await mailer(elsewhere("?tls.rejectUnauthorized=false")).send(MAIL);
    expect(peer.logins).toBe(1);
  });

  it("goes out in clear if the operator allows that", async () => {
    await mailer(elsewhere("?requireTLS=false")).send(MAIL);
    expect(peer.logins).toBe(1);
  });
});
