import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { entryRecords, entrySchema } from "./entry-records.ts";
import { type ReadKind, readKinds } from "./kinds.ts";
import type { RecordKind } from "./record.ts";
import { serverRecords } from "./server-records.ts";
import { discountRecords, shopRecords } from "./shop-records.ts";

/** A kind of records whose rows only it knows. */
export type AnyRecordKind = RecordKind<{ id: string }>;

/** All kinds of records that the API reads, by name: `recordKinds().get("items")?.toJson(row, reader)`. */
export function recordKinds(): ReadonlyMap<ReadKind, AnyRecordKind> {
  const entries = entrySchema();
  const others = { servers: serverRecords, "donate-items": shopRecords, discounts: discountRecords };
  return new Map(
    readKinds().map((kind) => {
      const made = isCatalogueKind(kind) ? entryRecords(kind, entries) : others[kind]();
      return [kind, made as unknown as AnyRecordKind];
    }),
  );
}
