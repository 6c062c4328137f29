#!/bin/sh
# gamedig splits the answer of a Minecraft Bedrock server at every semicolon. Semicolons separate the answer's fields, and the
# first field is the server's name, which may hold any text. One semicolon there shifts every field behind it. gamedig then
# reads a wrong number of players without an error: it reports 1 of 37 for a server with 37 of 100 players.
#
# Seen on 28 November 2026:
#   gamedig 5.3.3, "Fish & chips": 37 of 100
#   gamedig 5.3.3, "Fish; chips": 1 of 37
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --loglevel=error gamedig@5.3.3 > /dev/null
cat > "$work/query.mjs" <<'END'
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { GameDig } from "gamedig";

const MAGIC = Buffer.from("00ffff00fefefefefdfdfdfd12345678", "hex");

/** A server that answers a ping (https://minecraft.wiki/w/RakNet) as Bedrock does, under a name. */
async function serve(name) {
  const socket = createSocket("udp4");
  socket.on("message", (ping, { port, address }) => {
    const text = Buffer.from(`MCPE;${name};1;1.21.100;37;100;13253860892328930865;World;Survival;1;19132;19133;`);
    const head = Buffer.alloc(35);
    head[0] = 0x1c;
    ping.copy(head, 1, 1, 9);
    MAGIC.copy(head, 17);
    head.writeUInt16BE(text.length, 33);
    socket.send(Buffer.concat([head, text]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

for (const name of ["Fish & chips", "Fish; chips"]) {
  const server = await serve(name);
  const { port } = server.address();
  const { numplayers, maxplayers } = await GameDig.query({ type: "mbe", host: "127.0.0.1", port, givenPortOnly: true });
  console.log(`gamedig 5.3.3, "${name}": ${numplayers} of ${maxplayers}`);
  server.close();
}
END
(cd "$work" && node query.mjs) | tee "$work/seen"
printf 'gamedig 5.3.3, "Fish & chips": 37 of 100\ngamedig 5.3.3, "Fish; chips": 1 of 37\n' | cmp - "$work/seen"
