#!/bin/sh
# A Minecraft server's answer begins with its length, which does not count the one to five bytes of the length itself.
# gamedig compares that length with all bytes received, so it takes an answer for whole while up to that many bytes are
# missing. TCP may deliver the end of an answer by itself. gamedig then cuts the JSON and reports the server as failed.
#
# Seen on 29 November 2026:
#   gamedig 5.3.3, the answer in one piece: 37 of 100
#   gamedig 5.3.3, its last byte 50 ms later: Failed all 1 attempts
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --loglevel=error gamedig@5.3.3 > /dev/null
cat > "$work/query.mjs" <<'END'
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { GameDig } from "gamedig";

const varint = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);

/** The answer to a status request (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping). */
function makeAnswer() {
  const description = "A server with a long description. ".repeat(6);
  const players = { online: 37, max: 100, sample: [] };
  const text = Buffer.from(JSON.stringify({ version: { name: "1.21.10", protocol: 773 }, players, description }));
  const body = Buffer.from([0, ...varint(text.length), ...text]);
  return Buffer.from([...varint(body.length), ...body]);
}

/** A server that sends the last `late` bytes of its answer 50 ms after the rest. */
async function serve(late) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", async () => {
      const answer = makeAnswer();
      socket.setNoDelay(true);
      socket.write(answer.subarray(0, answer.length - late));
      await pause(50);
      if (late > 0) socket.write(answer.subarray(answer.length - late));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

for (const [late, name] of [[0, "the answer in one piece"], [1, "its last byte 50 ms later"]]) {
  const server = await serve(late);
  const options = { type: "minecraft", host: "127.0.0.1", port: server.address().port, givenPortOnly: true, maxRetries: 0 };
  const result = await GameDig.query(options).then(
    ({ numplayers, maxplayers }) => `${numplayers} of ${maxplayers}`,
    ({ message }) => message,
  );
  console.log(`gamedig 5.3.3, ${name}: ${result}`);
  server.close();
}
process.exit();
END
(cd "$work" && node query.mjs) | tee "$work/seen"
printf '%s\n' 'gamedig 5.3.3, the answer in one piece: 37 of 100' \
  'gamedig 5.3.3, its last byte 50 ms later: Failed all 1 attempts' | cmp - "$work/seen"
