import type { Translate } from "../../src/i18n/translate.ts";

/** How one language is written: its texts, its numbers (`12,345`), and what Intl calls it. */
export interface Words {
  t: Translate;
  number(count: number): string;
  locale: string;
}

export type Status = "online" | "offline" | "unknown";

export interface Current {
  status: Status;
  online: number | null;
  queue: number | null;
  /** True when the figures are more than an hour old, which is no longer "now". */
  outdated: boolean;
}

/** What all servers come to, and how much of that is known. */
export interface Totals {
  servers: number;
  /** Sum of the known counts; null where none is known. */
  online: number | null;
  /** Servers whose count is part of the sum. */
  counted: number;
  /** Sum of the queues that are told; null where no server tells. */
  queue: number | null;
  /** Servers whose queue is part of the sum. */
  queues: number;
  states: Record<Status, number>;
}

export function ageText(ms: number, words: Words): string;
export function lengthText(ms: number, words: Words): string;
export function totalsOf(servers: Current[]): Totals;
export function totalsText(totals: Totals, words: Words): string;
export function isFull(server: { status: Status; online: number | null; max_online: number | null }): boolean;
