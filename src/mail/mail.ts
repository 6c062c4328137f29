/** One mail to one person. */
export interface Mail {
  /** An address alone, without a name. */
  readonly to: string;
  /** `<…@host>`, the same for each attempt at this mail, so that a receiver can drop a second one. */
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Resolves once the server has taken the mail over.
   * @throws MailRefusedError where another attempt is of no use; any other error may pass
   */
  send(mail: Mail): Promise<void>;
  /** Lets go of the server: what is on its way has a few seconds left, and nothing more is sent. */
  close(): Promise<void>;
}

/** Where mail comes from: an address with a name, or a text that holds one. */
export type MailSender = string | { readonly name: string; readonly address: string };
