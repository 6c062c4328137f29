/**
 * What the servers' pages say in words: the same functions on the server and in the browser. `words` is how either of
 * them writes: `t` (texts by their keys), `number`, and the `locale` for Intl.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `3 h ago`: how long ago something was. */
export function ageText(ms, { t, number }) {
  const figure = (unit) => number(Math.floor(ms / unit));
  if (ms < MINUTE_MS) return t("script.servers.age.now");
  if (ms < HOUR_MS) return t("script.servers.age.minutes", { figure: figure(MINUTE_MS) });
  if (ms < 2 * DAY_MS) return t("script.servers.age.hours", { figure: figure(HOUR_MS) });
  return t("script.servers.age.days", { count: Math.floor(ms / DAY_MS), figure: figure(DAY_MS) });
}

/** `3 h 20 min`: how long something lasted, in its two largest units. */
export function lengthText(ms, { t, number }) {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1) return t("script.servers.length.less");
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [
    days > 0 && t("script.servers.length.days", { figure: number(days) }),
    hours > 0 && t("script.servers.length.hours", { figure: number(hours) }),
    days === 0 && rest > 0 && t("script.servers.length.minutes", { figure: number(rest) }),
  ];
  return parts.filter(Boolean).join(" ");
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
export function totalsText(totals, words) {
  const { t, number } = words;
  const { offline, unknown } = totals.states;
  const states = [
    offline > 0 && t("script.servers.totals.offline", { figure: number(offline) }),
    unknown > 0 && t("script.servers.totals.unknown", { figure: number(unknown) }),
  ].filter(Boolean);
  const rest = states.length > 0 && t("script.servers.totals.unavailable", { states: states.join(", ") });
  return [playersText(totals, words), rest].filter(Boolean).join(" ");
}

function playersText({ servers, online, counted, queue, queues }, { t, number }) {
  if (online === null) return t("script.servers.totals.none");
  const parts = {
    players: t("script.servers.totals.players", { count: online, figure: number(online) }),
    servers: t("script.servers.totals.servers", {
      count: servers,
      counted: number(counted),
      figure: number(servers),
    }),
  };
  if (queue === null) return t("script.servers.totals.sentence", parts);
  const waiting = { count: queues, figure: number(queue), queues: number(queues) };
  return t("script.servers.totals.sentence_with_queue", {
    ...parts,
    queue: t("script.servers.totals.queue", waiting),
  });
}

/** True where nobody else fits in. A server without a maximum, or with one of 0, is never full. */
export function isFull({ status, online, max_online: maximum }) {
  return status === "online" && online !== null && maximum !== null && maximum > 0 && online >= maximum;
}

function sum(values) {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}
