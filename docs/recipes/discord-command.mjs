// Answers the slash command `/item name:…` of Discord with what the site's search finds. Node 22 or later, no packages:
// ALMANAC_URL=https://… DISCORD_PUBLIC_KEY=… PORT=8080 node discord-command.mjs
// Register the command once, and give Discord this server's address as the interactions endpoint:
// https://discord.com/developers/docs/interactions/receiving-and-responding
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const { ALMANAC_URL, DISCORD_PUBLIC_KEY = "", PORT = "8080" } = process.env;
// Discord shows the 32 bytes alone; a key of Ed25519 begins with this prefix (RFC 8410).
const prefix = Buffer.from("302a300506032b6570032100", "hex");
const key = createPublicKey({
  key: Buffer.concat([prefix, Buffer.from(DISCORD_PUBLIC_KEY, "hex")]),
  format: "der",
  type: "spki",
});

createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signed = Buffer.concat([Buffer.from(req.headers["x-signature-timestamp"] ?? ""), body]);
  const signature = Buffer.from(req.headers["x-signature-ed25519"] ?? "", "hex");
  // Discord sends wrong signatures on purpose and refuses endpoints that accept them.
  if (!verify(null, signed, key, signature)) return res.writeHead(401).end();
  const answer = JSON.stringify(await answerTo(JSON.parse(body)));
  res.writeHead(200, { "Content-Type": "application/json" }).end(answer);
}).listen(Number(PORT), "127.0.0.1", function () {
  process.stdout.write(`Listening on port ${this.address().port}\n`);
});

/** PING is 1, a command 2; PONG is 1, a message 4. */
async function answerTo(interaction) {
  if (interaction.type === 1) return { type: 1 };
  const name = interaction.data.options[0].value;
  const response = await fetch(`${ALMANAC_URL}/api/search?limit=3&q=${encodeURIComponent(name)}`);
  const { items } = response.ok ? await response.json() : { items: [] };
  const lines = items.map((item) => `[${item.name}](${item.url})`);
  // Names in other people's data must not mention anybody.
  return {
    type: 4,
    data: { content: lines.join("\n") || "Nothing found.", allowed_mentions: { parse: [] } },
  };
}
