import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { writeWhole } from "../../settings/write-whole.ts";
import type { Mail, Mailer, MailSender } from "./mail.ts";
import { loadNodemailer, mimeMessage } from "./message.ts";

/**
 * Writes each mail into a folder as an .eml file instead of sending it. Mails contain links that log in, so only the
 * owner may read them.
 */
export function folderMailer(directory: string, from: MailSender, log: Logger): Mailer {
  const transport = loadNodemailer().createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(mimeMessage(mail, from));
      const file = path.join(directory, fileName(mail));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeWhole(file, message as Buffer, { mode: 0o600 });
      log.info({ file }, "mail written");
      return file;
    },
    close: async () => undefined,
  };
}

/** Sorts by time; keeps only characters of the mail that are safe in file names. */
function fileName({ to, messageId }: Mail): string {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  const what = messageId.replace(/@.*/, "");
  const [id, person] = [what, to].map((text) => text.replace(/[^a-z0-9@-]+/gi, "_").slice(0, 60));
  return `${time}-${id}-${person}-${randomBytes(3).toString("hex")}.eml`;
}
