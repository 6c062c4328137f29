import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A server that speaks the protocol of Postgres but is another database, such as CockroachDB, which cannot run in a
 * test. It answers every query with one row of two texts
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 * @returns its address
 */
export async function startOtherDatabase(row: readonly [name: string, version: string]): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let hasStarted = false;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (!hasStarted) socket.write(Buffer.concat([message("R", int32(0)), READY]));
      else if (bytes.toString("latin1", 0, 1) === "Q") socket.write(answer(row));
      else socket.end();
      hasStarted = true;
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://almanac@127.0.0.1:${(server.address() as AddressInfo).port}/almanac`;
}

function answer(row: readonly string[]): Buffer {
  const names = ["name", "version"];
  const columns = names.map((name) =>
    Buffer.concat([text(name), Buffer.alloc(6), int32(25), Buffer.alloc(8)]),
  );
  const values = row.map((value) => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]));
  return Buffer.concat([
    message("T", int16(names.length), ...columns),
    message("D", int16(row.length), ...values),
    message("C", text("SELECT 1")),
    READY,
  ]);
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const READY = message("Z", Buffer.from("I"));
