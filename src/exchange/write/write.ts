import type { Knex } from "knex";
import type { Actor } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import type { Site } from "../../web/http/site.ts";
import type { ImportKind } from "../import/kinds.ts";
import type { ReadKind } from "../read/kinds.ts";
import type { Repeatable } from "./answer-queries.ts";

/** What all writes have. */
export interface AnyWrite {
  readonly kind: ImportKind;
  /** Set where the request has an Idempotency-Key. */
  readonly repeatable: Repeatable | undefined;
  /** Who writes, for the audit log. */
  readonly by: Actor;
  readonly site: Pick<Site, "baseUrl" | "vocabulary">;
  /** Checks at the end of the transaction that the caller may still write. @throws HttpError 403 */
  confirmAccess(transaction: Db): Promise<void>;
}

/** The writing of one record. */
export interface SingleWrite extends AnyWrite {
  readonly kind: ReadKind;
  readonly method: "PUT" | "PATCH" | "DELETE";
  readonly id: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The entity tags of `If-Match`; `*`: any record that is there. */
  readonly ifMatch?: readonly string[] | "*" | undefined;
  /** What the audit log calls it, if it is more than a write. */
  readonly action?: "record.hidden" | "record.restored";
  /** Why, for the audit log and the revision. */
  readonly note?: string | undefined;
  /** More work in the same transaction, before and after the record itself. */
  readonly prepare?: (transaction: Knex.Transaction) => Promise<unknown>;
  readonly complete?: (transaction: Knex.Transaction) => Promise<unknown>;
  /** `If-None-Match: *` */
  readonly createOnly?: boolean;
}

/** The writing of many records as one import. */
export interface BatchWrite extends AnyWrite {
  readonly records: readonly unknown[];
  readonly isDryRun: boolean;
}
