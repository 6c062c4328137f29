import type { EgressPolicy } from "../../src/web/egress/policy.ts";

/** An operator who has opened this machine, where tests have their servers. */
export const LOOPBACK: EgressPolicy = {
  opened: [
    { range: "127.0.0.0/8", port: undefined },
    { range: "::1/128", port: undefined },
  ],
};

/** An operator who has opened one address, by the origin of a server there. */
export function openOnly(origin: string): EgressPolicy {
  const { hostname, port } = new URL(origin);
  return { opened: [{ range: `${hostname}/32`, port: Number(port) }] };
}
