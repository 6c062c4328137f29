import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Express } from "express";

/** What a server sent back, up to the end of the connection. */
export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/**
 * Sends bytes that no well-behaved client would, over a connection of its own. The request has to end the
 * connection: HTTP/1.0, or `Connection: close`.
 */
export async function sendRaw(app: Express, lines: string[], body = ""): Promise<RawAnswer> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    return parseAnswer(Buffer.concat(chunks).toString());
  } finally {
    socket.destroy();
    server.close();
  }
}

function parseAnswer(text: string): RawAnswer {
  const [headers = "", ...rest] = text.split("\r\n\r\n");
  return { status: Number(headers.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}
