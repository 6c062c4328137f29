import type { ServerStatus } from "../../servers/queries.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Share of the days on which an interruption comes again. */
const SHARE_OF_DAYS = 0.15;

/** A time without service or without measurements: in the 24 hours before the demo data was loaded, and on some other days. */
interface Interruption {
  /** Its start, in hours before the demo data was loaded. */
  hours_ago: number;
  minutes: number;
}

/** How a demo server behaves, from seeds/demo/servers.json. */
export interface DemoProfile {
  /** Share of the maximum that is online at the quietest hour. */
  base: number;
  /** The same at the busiest hour; 1 means more players than places. */
  peak: number;
  peak_hour_utc: number;
  queue: "when_full" | "short" | "never_reported";
  outage: Interruption[];
  gap: Interruption[];
  /** `offline`: since `offline_hours` before loading; `unknown`: never measured. */
  status?: "offline" | "unknown";
  offline_hours?: number;
}

export interface DemoRecord {
  checked_at: Date;
  status: ServerStatus;
  online: number | null;
  queue: number | null;
  max_online: number;
}

export interface DemoSpan {
  /** Both ends included. */
  from: Date;
  to: Date;
  /** When the demo data was loaded. */
  anchor: Date;
  maxOnline: number;
  /** Seeds the noise of a server: its id. */
  seed: string;
  stepSeconds?: number;
}

/**
 * Invented records of a server at every multiple of the step: a daily curve, noise, queues, outages and gaps. The same
 * arguments give the same records, and a longer span includes those of a shorter one.
 */
export function demoRecords(profile: DemoProfile, span: DemoSpan): DemoRecord[] {
  const { from, to, stepSeconds = 300 } = span;
  if (profile.status === "unknown") return [];
  const step = stepSeconds * 1000;
  const records: DemoRecord[] = [];
  for (let time = Math.ceil(from.getTime() / step) * step; time <= to.getTime(); time += step) {
    if (isInterrupted(profile.gap, time, span)) continue;
    records.push(isDown(profile, time, span) ? offline(time, span) : online(profile, time, span));
  }
  return records;
}

function isDown(profile: DemoProfile, time: number, span: DemoSpan): boolean {
  const closedSince = span.anchor.getTime() - (profile.offline_hours ?? 0) * HOUR_MS;
  return (profile.status === "offline" && time >= closedSince) || isInterrupted(profile.outage, time, span);
}

function isInterrupted(interruptions: Interruption[], time: number, { anchor, seed }: DemoSpan): boolean {
  return interruptions.some(({ hours_ago, minutes }) => {
    const sinceFirst = time - (anchor.getTime() - hours_ago * HOUR_MS);
    const day = Math.floor(sinceFirst / DAY_MS);
    const happens = day === 0 || noise(seed, "interruption", day) < SHARE_OF_DAYS;
    return happens && sinceFirst - day * DAY_MS < minutes * 60_000;
  });
}

function offline(time: number, { maxOnline }: DemoSpan): DemoRecord {
  return { checked_at: new Date(time), status: "offline", online: null, queue: null, max_online: maxOnline };
}

function online(profile: DemoProfile, time: number, { maxOnline, seed }: DemoSpan): DemoRecord {
  const wanted = Math.max(0, Math.round(maxOnline * demand(profile, time, seed)));
  const count = Math.min(wanted, maxOnline);
  const queue = computeQueue(profile, { wanted, maxOnline, luck: noise(seed, "queue", time) });
  return { checked_at: new Date(time), status: "online", online: count, queue, max_online: maxOnline };
}

/** Share of the maximum that wants to play: a daily wave with its crest at the peak hour, a slow drift and jitter. */
function demand(profile: DemoProfile, time: number, seed: string): number {
  const hours = (time % DAY_MS) / HOUR_MS - profile.peak_hour_utc;
  const wave = ((1 + Math.cos((hours / 24) * 2 * Math.PI)) / 2) ** 1.5;
  const crest = profile.peak < 1 ? profile.peak : 1.12;
  const share = profile.base + (crest - profile.base) * wave;
  return share * (1 + 0.1 * drift(seed, time) + 0.03 * (noise(seed, "jitter", time) - 0.5));
}

/** Noise of each full hour, interpolated between hours: -0.5 to 0.5. */
function drift(seed: string, time: number): number {
  const hour = Math.floor(time / HOUR_MS);
  const [before, after] = [noise(seed, "drift", hour), noise(seed, "drift", hour + 1)];
  return before + (after - before) * (time / HOUR_MS - hour) - 0.5;
}

function computeQueue(
  profile: DemoProfile,
  { wanted, maxOnline, luck }: { wanted: number; maxOnline: number; luck: number },
): number | null {
  if (profile.queue === "never_reported") return null;
  if (profile.queue === "when_full") return Math.max(0, wanted - maxOnline);
  return wanted > maxOnline * 0.8 ? Math.floor(luck * 7) : 0;
}

/**
 * A pseudo-random number from 0 to 1, the same for the same arguments: FNV-1a over the texts, mixed with the place as by
 * MurmurHash3. Half a million are needed at the first start, where a cryptographic hash takes a second.
 */
function noise(seed: string, kind: string, place: number): number {
  let bits = 0x811c9dc5;
  for (const text of [seed, kind]) {
    for (let at = 0; at < text.length; at += 1) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  }
  bits = mix(mix(bits ^ place) ^ Math.floor(place / 2 ** 32));
  return (bits >>> 0) / 2 ** 32;
}

/** https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp (fmix32) */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
