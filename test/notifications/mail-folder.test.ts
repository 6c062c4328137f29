import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "../../src/notifications/mail/mail.ts";
import { createMailer, mailHost } from "../../src/notifications/mail/mailer.ts";

const OPTIONS = {
  from: undefined,
  siteName: "Almanac",
  baseUrl: "http://127.0.0.1:3000",
  log: pino({ level: "silent" }),
};

const MAIL: Mail = {
  to: "ann@example.org",
  messageId: "<notification-7@almanac.test>",
  subject: "Новая цена",
  text: "Здравствуйте",
  html: "<p>Здравствуйте</p>",
};

let root: string;
let directory: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "almanac-mail-"));
  directory = path.join(root, "mail");
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe("mail that is written into files", () => {
  const send = async (mail: Partial<Mail> = {}) =>
    createMailer({ kind: "files", directory }, OPTIONS)?.send({ ...MAIL, ...mail });

  it("is one .eml file each, which mail programs can open", async () => {
    await send();
    const [name = "", ...others] = await readdir(directory);
    expect(others).toEqual([]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-_notification-7-ann@example_org-[0-9a-f]{6}\.eml$/);
    const raw = await readFile(path.join(directory, name), "utf8");
    expect(raw).not.toMatch(/[^\r]\n/);
    const mail = await PostalMime.parse(raw);
    expect(mail).toMatchObject({ subject: "Новая цена", messageId: "<notification-7@almanac.test>" });
    expect(mail.from).toMatchObject({ name: "Almanac", address: "no-reply@[127.0.0.1]" });
    expect(mail.to).toMatchObject([{ address: "ann@example.org" }]);
  });

  it("is for the owner's eyes only", async () => {
    await send();
    const [name = ""] = await readdir(directory);
    expect((await stat(directory)).mode & 0o077).toBe(0);
    expect((await stat(path.join(directory, name))).mode & 0o077).toBe(0);
  });

  it("stays in its folder, whatever an address or a Message-ID looks like", async () => {
    await send({ to: "../../evil/\\..:*?@example.org", messageId: `<../../${"x".repeat(300)}@a.test>` });
    expect(await readdir(root)).toEqual(["mail"]);
    const [name = ""] = await readdir(directory);
    expect(name).toMatch(/^[\w@-]+\.eml$/);
    expect(name.length).toBeLessThan(200);
  });

  it("of the same moment gets names of their own", async () => {
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(await readdir(directory)).toHaveLength(20);
  });

  it("is there whole or not at all", async () => {
    let sent = false;
    const sending = send({ text: "x".repeat(20_000_000) }).finally(() => {
      sent = true;
    });
    const sizes = new Set<number>();
    while (!sent) {
      const names = await readdir(directory).catch(() => []);
      for (const name of names.filter((name) => name.endsWith(".eml"))) {
        sizes.add((await stat(path.join(directory, name))).size);
      }
    }
    await sending;
    const [name = "", ...others] = await readdir(directory);
    expect(others).toEqual([]);
    sizes.add((await stat(path.join(directory, name))).size);
    expect(sizes.size).toBe(1);
  });

  it("fails if a file has the name of the folder", async () => {
    await writeFile(directory, "a file");
    await expect(send()).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

describe("the site's host in an address", () => {
  it.each([
    ["https://almanac.example", "almanac.example"],
    ["http://127.0.0.1:3000", "[127.0.0.1]"],
    ["http://[::1]:3000", "[IPv6:::1]"],
  ])("%s is %s", (baseUrl, host) => {
    expect(mailHost(baseUrl)).toBe(host);
  });
});
