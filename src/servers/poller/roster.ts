import type { Logger } from "pino";
import { type Adapter, type Adapters, issuesText, type Target } from "./adapter.ts";
import type { PolledServer, WrittenPoll } from "./queries.ts";
import { isDue, phaseOf } from "./schedule.ts";

/** A server that can be polled. */
export interface Member extends PolledServer {
  target: Target;
  /** Start of its last slot in this process. */
  polledSlot: number | null;
  /** The server's network address, if the site must not connect to it and so does not poll it. */
  refusedPlace: string | null;
}

/** Servers that one fetch polls together. */
export interface Group {
  readonly adapter: Adapter;
  readonly phaseMs: number;
  readonly members: Member[];
}

export interface Roster {
  /** Takes over a newly read list. */
  update(servers: readonly PolledServer[], adapters: Adapters): void;
  /** The groups that are due in this slot, each with the members not yet polled in it. */
  due(slot: number, now: number): { group: Group; members: Member[] }[];
  /** Applies a stored poll to its server; returns the status before it, or undefined if the server is gone. */
  note(written: WrittenPoll): { member: Member; before: PolledServer["status"] } | undefined;
}

/** The servers to poll. A server whose adapter refuses its options is left out, with one warning. */
export function createRoster(intervalMs: number, log: Logger): Roster {
  let adapters: Adapters = {};
  let members = new Map<number, Member>();
  let groups: Group[] = [];
  let refused = new Map<number, string>();

  function update(servers: readonly PolledServer[], known: Adapters): void {
    adapters = known;
    const refusedBefore = refused;
    refused = new Map();
    const knownMembers = members;
    members = new Map();
    for (const server of servers) {
      const before = knownMembers.get(server.number);
      if (before?.definition === server.definition) members.set(server.number, Object.assign(before, server));
      else if (refusedBefore.get(server.number) === server.definition) refuse(server);
      else admit(server);
    }
    groups = groupMembers();
  }

  function admit(server: PolledServer): void {
    const { id, address, options } = server;
    const error = errorOf(adapters[server.adapter], server);
    if (error === null) {
      members.set(server.number, {
        ...server,
        target: { id, address, options },
        polledSlot: null,
        refusedPlace: null,
      });
      return;
    }
    refuse(server);
    log.warn(
      { server: id, adapter: server.adapter, fault: error },
      "a server cannot be polled as it is defined",
    );
  }

  function refuse({ number, definition }: PolledServer): void {
    refused.set(number, definition);
  }

  function groupMembers(): Group[] {
    const byKey = new Map<string, Group>();
    for (const member of members.values()) {
      const adapter = adapters[member.adapter];
      if (!adapter) continue;
      const key = `${member.adapter} ${adapter.groupOf(member.target)}`;
      const group = byKey.get(key) ?? { adapter, phaseMs: phaseOf(key, intervalMs), members: [] };
      group.members.push(member);
      byKey.set(key, group);
    }
    return [...byKey.values()];
  }

  /** Polls a long-offline server that is not due along with its group if that is due. */
  function due(slot: number, now: number) {
    const ready = groups.filter(
      ({ phaseMs, members }) =>
        now >= slot + phaseMs &&
        members.some((member) => isOpen(member, slot) && isDue(member, slot, intervalMs)),
    );
    return ready.map((group) => ({ group, members: group.members.filter((member) => isOpen(member, slot)) }));
  }

  /** Compares for difference, not for order: a clock may be set back. */
  function isOpen({ polledSlot, lastSlot }: Member, slot: number): boolean {
    return polledSlot !== slot && lastSlot !== slot;
  }

  function note(written: WrittenPoll) {
    const member = members.get(written.number);
    if (!member) return undefined;
    const before = member.status;
    Object.assign(member, written);
    return { member, before };
  }

  return { update, due, note };
}

/** Why a server cannot be polled, or null. */
function errorOf(adapter: Adapter | undefined, { id, address, options }: PolledServer): string | null {
  if (!adapter) return "there is no such adapter";
  const parsed = adapter.options.safeParse(options);
  if (!parsed.success) return issuesText(parsed.error);
  try {
    adapter.groupOf({ id, address, options });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
