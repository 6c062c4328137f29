import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import type { Locale } from "../web/request/locale.ts";
import type { DeliveryState } from "./operator-queries.ts";

/** Deliveries that are no notifications of a user, such as webhooks, on the same page of operators. */
export interface OtherDeliveries {
  /** Counts by the name of the channel. */
  count(db: Db, locale: Locale): Promise<({ readonly label: string } & Record<DeliveryState, number>)[]>;
  listDead(db: Db, locale: Locale): Promise<OtherDead[]>;
  /** Makes dead ones wait again: one, or all. Resolves to how many. */
  retryDead(db: Knex, id?: number): Promise<number>;
  /** Drops a dead one. Resolves to how many. */
  discardDead(db: Db, id: number): Promise<number>;
}

/** One that was given up, in words. */
interface OtherDead {
  readonly id: number;
  readonly what: string;
  readonly to: string;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly settledAt: Date;
}
