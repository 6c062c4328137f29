import type { CatalogueKind } from "../../words/kinds/kinds.ts";

/** The format that a webhook's receiver understands. */
export type Format = "discord" | "signed";

/** The events of webhooks; the form has a box for each. */
export const EVENTS = ["discount", "entry_new", "entry_changed", "server"] as const;
export type EventWord = (typeof EVENTS)[number];

/** The scope of a user's webhook: the user's favorites, or everything. New entries are nobody's favorites. */
export const SCOPES = ["favorites", "all"] as const;
export type Scope = (typeof SCOPES)[number];

/** A record when the event was created; `names` by locale. For pictures see records/picture.ts. */
export interface ToldRecord {
  readonly id: string;
  readonly name: string;
  readonly names: Record<string, string>;
  readonly picture: string | null;
  readonly image: string | null;
}

/** Prices are decimal texts, times ISO 8601. */
export interface ToldDiscount {
  readonly id: string;
  readonly run: number;
  readonly title: string | null;
  readonly titles: Record<string, string>;
  readonly oldPrice: string | null;
  readonly newPrice: string;
  readonly currency: string;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly item: ToldRecord;
}

export interface ToldEntry extends ToldRecord {
  readonly category: string | null;
  readonly revision: number;
}

export interface ToldServer {
  readonly id: string;
  readonly name: string;
  readonly at: string;
}

/** How many records an event describes; `count` has all. Discord shows the same number. */
export const TOLD_AT_MOST = 10;

/** An event, independent of language: stored once and sent to each webhook in its own. */
export type WebhookEvent =
  | { readonly type: "discount.started"; readonly data: Told<"discounts", ToldDiscount> }
  | {
      readonly type: "entries.added" | "entries.changed";
      readonly data: Told<"entries", ToldEntry> & { readonly kind: CatalogueKind };
    }
  | { readonly type: "server.down" | "server.up"; readonly data: Told<"servers", ToldServer> }
  | { readonly type: "test"; readonly data: Record<string, never> };

type Told<Name extends string, Record> = { readonly [N in Name]: readonly Record[] } & {
  readonly count: number;
};

/** The word of a type of event. */
export const WORD_OF = {
  "discount.started": "discount",
  "entries.added": "entry_new",
  "entries.changed": "entry_changed",
  "server.down": "server",
  "server.up": "server",
} as const satisfies Record<Exclude<WebhookEvent["type"], "test">, EventWord>;
