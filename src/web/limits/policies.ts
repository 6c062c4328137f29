import type { Limits } from "../../settings/limits.ts";
import type { Policy, PolicyName } from "./limit-window.ts";

/** The limits that are on. */
export type Policies = Readonly<Record<PolicyName, Policy | undefined>>;

/** A new session costs as much as ten pages: collecting them is no way around the limit of one. */
export const SESSION_COST = 10;

/** The limits of a site by its settings; undefined where all of them are off. */
export function createPolicies({ key, address, session, pages, windowS }: Limits): Policies | undefined {
  const policy = (name: PolicyName, quota: number): Policy | undefined =>
    quota === 0 ? undefined : { name, quota, windowMs: windowS * 1000, isQuiet: name === "site" };
  if (key + address + session + pages === 0) return undefined;
  return {
    key: policy("key", key),
    address: policy("address", address),
    user: policy("user", session),
    session: policy("session", session),
    site: policy("site", pages),
  };
}
