import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { IndexedKind } from "../kinds/found-kinds.ts";
import type { IndexData } from "./index/build.ts";
import type { RecordToIndex } from "./index/records.ts";
import { type Found, SearchIndex, type SearchRange } from "./index/search-index.ts";

/** An order for the thread. */
export interface Order {
  readonly use?: { readonly kind: IndexedKind; readonly data: IndexData };
  readonly change?: {
    readonly kind: IndexedKind;
    readonly changed: readonly RecordToIndex[];
    readonly removed: readonly string[];
  };
  readonly search?: {
    readonly number: number;
    readonly kind: IndexedKind;
    readonly query: string;
    readonly range: SearchRange;
  };
}

/** What the search of that number found. */
export interface Answer {
  readonly number: number;
  readonly found: Found;
}

/** What the thread of search-thread.ts does, for as long as it lives. */
export function runInThread(): void {
  // Where the event loop has to share its core, it goes first. Elsewhere this would be the priority of the process.
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const indexes = new Map<IndexedKind, SearchIndex>();
  parentPort?.on("message", ({ use, change, search }: Order) => {
    if (use) indexes.set(use.kind, new SearchIndex(use.data));
    if (change) indexes.get(change.kind)?.change(change.changed, change.removed);
    if (search) parentPort?.postMessage(answer(indexes.get(search.kind), search));
  });
}

function answer(
  index: SearchIndex | undefined,
  { number, query, range }: NonNullable<Order["search"]>,
): Answer {
  if (!index) throw new Error("the index was not given to the thread");
  return { number, found: index.search(query, range) };
}
