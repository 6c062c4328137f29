export interface Mail {
  /** An address alone, without a name. */
  readonly to: string;
  /** `<…@host>`, the same for each attempt, so that a receiver can drop duplicates. */
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Resolves to the server's answer once it has accepted the mail.
   * @throws MailRefusedError if a retry cannot help; other errors are worth one
   */
  send(mail: Mail): Promise<string>;
  /** Closes connections; mails that are being sent get a few more seconds. */
  close(): Promise<void>;
}

/** The sender of mail: an address with a name, or a text that contains both. */
export type MailSender = string | { readonly name: string; readonly address: string };
