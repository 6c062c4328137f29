/** What the servers' pages say in words: the same functions on the server and in the browser. Nothing else is in here. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h ago`: how long ago something was. */
export function ageText(ms) {
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
}

/** `3 h 20 min`: how long something lasted, in its two largest units. */
export function lengthText(ms) {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1) return "less than 1 min";
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = days > 0 ? [days, "d", hours, "h"] : [hours, "h", rest, "min"];
  return [parts.slice(0, 2), parts.slice(2)]
    .filter(([count]) => count > 0)
    .flat()
    .join(" ");
}

/** Adds up servers' current figures; what is not known, or was known long ago, is counted and not guessed. */
export function totalsOf(servers) {
  const current = servers.filter((server) => !server.outdated);
  const known = current.map((server) => server.online).filter((count) => count !== null);
  const queues = current.map((server) => server.queue).filter((count) => count !== null);
  const states = { online: 0, offline: 0, unknown: 0 };
  for (const server of servers) states[server.status] += 1;
  return {
    servers: servers.length,
    online: sum(known),
    counted: known.length,
    queue: sum(queues),
    queues: queues.length,
    states,
  };
}

/** The totals as a sentence or two. */
export function totalsText({ servers, online, counted, queue, queues, states }) {
  const waiting = queues === 1 ? "the one queue that is known" : `the ${queues} queues that are known`;
  const sentences = [
    online === null
      ? "No server’s count of players is known now."
      : `${grouped(online)} players online on ${counted} of ${servers} servers` +
        `${queue === null ? "" : `, ${grouped(queue)} waiting in ${waiting}`}.`,
  ];
  const unavailable = ["offline", "unknown"].filter((state) => states[state] > 0);
  if (unavailable.length > 0) {
    sentences.push(`Servers ${unavailable.map((state) => `${state}: ${states[state]}`).join(", ")}.`);
  }
  return sentences.join(" ");
}

/** True where nobody else fits in. A server without a maximum, or with one of 0, is never full. */
export function isFull({ status, online, max_online: maximum }) {
  return status === "online" && online !== null && maximum !== null && maximum > 0 && online >= maximum;
}

const numbers = new Intl.NumberFormat("en-GB");

/** `12,345` */
export function grouped(count) {
  return numbers.format(count);
}

function sum(values) {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}
