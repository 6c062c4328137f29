import { z } from "zod";

/** Addresses outside the Internet that the operator has opened. */
export interface OpenedRange {
  /** `192.168.1.0/24`; a single address is a range of its own. */
  readonly range: string;
  /** undefined: every port. */
  readonly port: number | undefined;
}

/** A setting that is a whole number in digits. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .meta({ accepts: `${min} to ${max}` });
}

/** A setting that is on or off. */
export function flag() {
  const values = new Map([
    ["1", true],
    ["true", true],
    ["0", false],
    ["false", false],
  ]);
  return z
    .string()
    .transform((text, context) => values.get(text.toLowerCase()) ?? refuse(context, "must be 1 or 0"))
    .meta({ accepts: "`1` or `0`" });
}

/** A setting that is a list of hosts: `host`, `host:port` or `*.domain`. */
export function hosts() {
  return z
    .string()
    .transform((text, context) => {
      const hosts = text.split(",").map((host) => host.trim().toLowerCase());
      if (hosts.every((host) => /^(\*\.)?[a-z0-9.-]+(:\d{1,5})?$/.test(host))) return hosts;
      return refuse(context, "must be hosts with commas between: images.example, *.game.example");
    })
    .meta({ accepts: "hosts with commas between: `images.example, *.game.example`" });
}

/** Whether a URL is on a host of a setting: `host`, `host:port` (443 by default) or `*.domain`. */
export function isOnHost({ host }: URL, setting: string): boolean {
  const wanted = setting.replace(/:443$/, "");
  return wanted.startsWith("*.")
    ? host.length >= wanted.length && host.endsWith(wanted.slice(1))
    : host === wanted;
}

/** Refuses a setting's value with a message that follows its name. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
