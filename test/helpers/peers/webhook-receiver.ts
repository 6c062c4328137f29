import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A message as it came. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True if it was answered with 2xx. */
  readonly isAccepted: boolean;
}

/** What the receiver does with a message: answers with a status and headers, or breaks off. */
export type ReceiverAnswer =
  | number
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "closes";

export interface WebhookReceiver {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** Every message that came whole, whatever was answered. */
  readonly messages: ReceivedMessage[];
  /** By default it takes everything. */
  answer: (message: Omit<ReceivedMessage, "isAccepted">) => ReceiverAnswer;
  close(): Promise<void>;
}

/** A server on this machine that takes webhooks. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((req, res) => {
    text(req).then(
      (body) => {
        const message = { path: req.url ?? "", headers: req.headers, body, at: Date.now() };
        const answer = receiver.answer(message);
        const status = answer === "closes" ? 0 : typeof answer === "number" ? answer : answer.status;
        receiver.messages.push({ ...message, isAccepted: status >= 200 && status < 300 });
        give(res, answer);
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: WebhookReceiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: [],
    answer: () => 204,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function give(res: ServerResponse, answer: ReceiverAnswer): void {
  if (answer === "closes") {
    // Ends in the middle of the answer's head.
    res.socket?.end("HTTP/1.1 200 OK\r\nContent-Le");
    return;
  }
  const { status, headers = {}, body = "" } = typeof answer === "number" ? { status: answer } : answer;
  res.writeHead(status, headers).end(body);
}
