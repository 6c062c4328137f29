#!/bin/sh
# Servers of the Quake 2 and 3 family may say in their status how many players are on (`clients`). gamedig reads that number
# and then replaces it by the length of the player list, unless the status also has a field `iv`: the `else` that was meant
# for a status without `clients` belongs to the test for `iv`. A status must fit one UDP packet, so servers cut the list,
# and the players who did not fit are not counted.
#
# Seen on 29 November 2026, a server with 37 clients that lists 3 of them:
#   gamedig 5.3.3, with clients: 3
#   gamedig 5.3.3, with clients and iv: 37
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --loglevel=error gamedig@5.3.3 > /dev/null
cat > "$work/query.mjs" <<'END'
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { GameDig } from "gamedig";

/** A Quake 3 Arena server that answers `getstatus` (Quake 3's status request) with these fields and three players. */
async function serve(fields) {
  const players = ["Ann", "Ben", "Cem"].map((name, index) => `${index} 40 "${name}"\n`).join("");
  const socket = createSocket("udp4");
  socket.on("message", (_request, { port, address }) =>
    socket.send(Buffer.from(`\xff\xff\xff\xffstatusResponse\n${fields}\n${players}`, "latin1"), port, address),
  );
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

const common = "\\sv_hostname\\Arena\\mapname\\q3dm17\\sv_maxclients\\64\\clients\\37";
for (const [name, fields] of [["clients", common], ["clients and iv", `${common}\\iv\\2`]]) {
  const server = await serve(fields);
  const { port } = server.address();
  const { numplayers } = await GameDig.query({ type: "q3a", host: "127.0.0.1", port, givenPortOnly: true });
  console.log(`gamedig 5.3.3, with ${name}: ${numplayers}`);
  server.close();
}
END
(cd "$work" && node query.mjs) | tee "$work/seen"
printf 'gamedig 5.3.3, with clients: 3\ngamedig 5.3.3, with clients and iv: 37\n' | cmp - "$work/seen"
