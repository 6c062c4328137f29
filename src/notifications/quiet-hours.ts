import { localHour, nextDigestAt } from "./email/digest-times.ts";

/** Hours of the day, `quietUntil` not included. They may go over midnight. Null without quiet hours. */
interface QuietHours {
  readonly quietFrom?: number | null;
  readonly quietUntil?: number | null;
  /** IANA name; null for UTC. */
  readonly timeZone: string | null;
}

/** The end of a user's quiet hours, or undefined outside of them. */
export function quietUntil(
  { quietFrom: from, quietUntil: until, timeZone }: QuietHours,
  now: Date,
): Date | undefined {
  if (from == null || until == null) return undefined;
  const hour = localHour(now, timeZone);
  const isQuiet = from < until ? hour >= from && hour < until : hour >= from || hour < until;
  return isQuiet ? nextDigestAt(until, timeZone, now) : undefined;
}
